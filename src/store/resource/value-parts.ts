import { type DescField, ScalarType } from '@bufbuild/protobuf'
import { Prisma } from '../../../gen/prisma/client.js'
import type { Column } from './resource.js'
import { enumPrefix, type Part, timestampText } from './text.js'

/** The parts of a column's value, by the kind of the field and the type of the column. None of them is null. */
export function valueParts(field: DescField, value: Prisma.Sql, { type, isNullable, isId }: Column): readonly Part[] {
  const shape = shapeOf(field)
  const isFilled = shape === 'strings' || (shape === 'string' && type !== 'timestamptz')
  if (isNullable && !isFilled) {
    throw new Error(`${field.parent.typeName}.${field.name} is always there, and its column may be null`)
  }
  const part = (name: string) => Prisma.sql`date_part(${Prisma.raw(`'${name}'`)}, ${value})`
  const text = isNullable ? Prisma.sql`coalesce(${value}::text, '')` : value
  switch (`${shape} in ${type.replace(/^enum .*/, 'enum')}`) {
    case 'string in text':
      // PostgreSQL and JavaScript escape the same characters, and neither escapes U+007F or U+2028. Ids need no
      // escaping.
      return isId ? ['"', text, '"'] : [Prisma.sql`to_json(${text})`]
    case 'string in uuid':
    case 'string in enum':
    case 'enum in text':
      return ['"', text, '"']
    case 'string in timestamptz':
      return ['"', timestampText(value), '"']
    case 'enum in enum':
      return [`"${enumPrefix(field)}`, value, '"']
    case 'int64 in int8':
      return ['"', Prisma.sql`${value}::text`, '"']
    case 'bool in bool':
    case 'int32 in int4':
      return [Prisma.sql`${value}::text`]
    case 'svc.v2.Date in date':
      return ['{"year":', part('year'), ',"month":', part('month'), ',"day":', part('day'), '}']
    case 'strings in text[]':
    case 'strings in uuid[]':
      return [Prisma.sql`array_to_json(coalesce(${value}, '{}'))`]
    case 'message in json':
      return [Prisma.sql`${value}::text`]
  }
  throw new Error(`${field.parent.typeName}.${field.name} cannot be printed of ${type}`)
}

/**
 * The parts of a computed value: text, a list of texts, a number or a boolean, the full name of an enum's value, or
 * JSON as text.
 */
export function computedParts(field: DescField, sql: Prisma.Sql): readonly Part[] {
  // A name in quotes becomes part of the text.
  const constant = /^'(\w+)'$/.exec(sql.text)?.[1]
  if (constant !== undefined) return [`"${constant}"`]
  const type = computedTypes[shapeOf(field)] ?? 'json'
  return valueParts(field, Prisma.sql`(${sql})`, { type, isNullable: false, isId: false })
}

const computedTypes: Readonly<Record<string, string>> = {
  string: 'text',
  enum: 'text',
  bool: 'bool',
  int32: 'int4',
  int64: 'int8',
  strings: 'text[]',
}

/**
 * What to print: the name of a scalar type, `strings`, `enum`, `svc.v2.Date`, or `message` for all that is kept as
 * JSON.
 */
function shapeOf(field: DescField): string {
  switch (field.fieldKind) {
    case 'enum':
      return 'enum'
    case 'scalar':
      return ScalarType[field.scalar].toLowerCase()
    case 'list':
      return field.listKind === 'scalar' && field.scalar === ScalarType.STRING ? 'strings' : 'message'
    case 'message':
      return field.message.typeName === 'svc.v2.Date' ? 'svc.v2.Date' : 'message'
    case 'map':
      return 'message'
  }
}
