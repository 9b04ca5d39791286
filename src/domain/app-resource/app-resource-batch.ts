import { refuseViolations } from '../../errors.js'

/** New values of one resource; absent ones stay as they are, and an empty description or external id clears it. */
export interface AppResourceUpdate {
  readonly id: string
  readonly resourceType?: string | undefined
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly externalId?: string | undefined
  readonly scopedId?: string | undefined
}

/** Throws `DUPLICATE_ID` for ids that the batch repeats. */
export function refuseRepeatedIds(updates: readonly AppResourceUpdate[]): void {
  const firstIndexes = new Map<string, number>()
  for (const [index, { id }] of updates.entries()) if (!firstIndexes.has(id)) firstIndexes.set(id, index)
  refuseViolations(
    updates.flatMap(({ id }, index) => {
      const first = firstIndexes.get(id)
      if (first === index) return []
      const description = `repeats resources[${first}].id: name each resource once`
      return [{ field: `resources[${index}].id`, description, reason: 'DUPLICATE_ID' }]
    }),
  )
}
