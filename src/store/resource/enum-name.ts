import type { DescEnum, DescField } from '@bufbuild/protobuf'
import { Prisma } from '../../../gen/prisma/client.js'

/** The prefix that the API adds to the names in the database. */
export function enumPrefix(field: DescField): string {
  return (field.enum?.sharedPrefix ?? '').toUpperCase()
}

/** The name of the value of the enum that the text denotes; any other text gives the zero value. */
export function nameText(desc: DescEnum, text: Prisma.Sql): Prisma.Sql {
  const zero = Prisma.raw(`'${desc.values[0]?.name}'`)
  const names = Prisma.raw(desc.values.map(({ name }) => `'${name}'`).join(', '))
  return Prisma.sql`CASE WHEN ${text} IN (${names}) THEN ${text} ELSE ${zero} END`
}
