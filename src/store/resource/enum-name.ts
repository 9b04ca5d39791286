import type { DescEnum, DescField } from '@bufbuild/protobuf'
import { Prisma } from '../../../gen/prisma/client.js'

/** The prefix that the API adds to the names in the database. */
export function enumPrefix(field: DescField): string {
  return (field.enum?.sharedPrefix ?? '').toUpperCase()
}

/** A condition that the text is the name of a value of the enum. */
export function isNameOf(desc: DescEnum, text: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${text} IN (${Prisma.raw(desc.values.map(({ name }) => `'${name}'`).join(', '))})`
}

/** The name of the value of the enum that the text denotes; any other text gives the zero value. */
export function nameText(desc: DescEnum, text: Prisma.Sql): Prisma.Sql {
  const zero = Prisma.raw(`'${desc.values[0]?.name}'`)
  return Prisma.sql`CASE WHEN ${isNameOf(desc, text)} THEN ${text} ELSE ${zero} END`
}
