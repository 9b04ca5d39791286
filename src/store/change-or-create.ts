interface Written {
  readonly count: number
}

/**
 * Changes a row, or creates it where there is none, skipping one that is created at the same time. An upsert of Prisma's
 * would be one statement, which a cluster refuses for tables with enums.
 */
export async function changeOrCreate(change: () => Promise<Written>, create: () => Promise<Written>): Promise<void> {
  if ((await change()).count > 0) return
  if ((await create()).count === 0) await change()
}
