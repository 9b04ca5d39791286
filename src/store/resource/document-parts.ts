import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import { Prisma } from '../../../gen/prisma/client.js'
import { listText, nameText, type Part, textOf } from './text.js'

// What a column of type jsonb holds is printed field by field: as text, it has spaces, and keys in the order of their
// lengths.

/** The parts of a field whose value a document holds, which is not null: ProtoJSON, without spaces, in the order of the schema. */
export function documentParts(field: DescField, value: Prisma.Sql): readonly Part[] {
  switch (field.fieldKind) {
    case 'message':
      return messageParts(field.message, value)
    case 'list':
      if (field.listKind === 'message') return [messagesText(field.message, value)]
      if (field.listKind === 'scalar' && field.scalar === ScalarType.STRING)
        return [Prisma.sql`coalesce(${compactText(value)}, '[]')`]
      break
    case 'map':
      if (field.mapKind === 'scalar' && field.scalar === ScalarType.STRING) return [mapText(value)]
      break
    case 'enum':
      // A value that this build does not know becomes the zero value.
      return ['"', nameText(field.enum, Prisma.sql`(${value} #>> '{}')`), '"']
    case 'scalar':
      return [Prisma.sql`coalesce(${value}::text, ${Prisma.raw(`'${zeroOf(field)}'`)})`]
  }
  throw new Error(`${field.parent.typeName}.${field.name} cannot be printed of jsonb`)
}

/** Types that hold any JSON. */
const ofAnyShape: readonly string[] = ['google.protobuf.Value', 'google.protobuf.Struct', 'google.protobuf.ListValue']

function messageParts(desc: DescMessage, value: Prisma.Sql): readonly Part[] {
  if (ofAnyShape.includes(desc.typeName)) return [compactText(value)]
  const members = desc.fields.map((field): Part[] => {
    const held = Prisma.sql`(${value} -> ${Prisma.raw(`'${field.jsonName}'`)})`
    const parts = [`,"${field.jsonName}":`, ...documentParts(field, held)]
    if (field.presence !== FeatureSet_FieldPresence.EXPLICIT) return parts
    return [Prisma.sql`CASE WHEN ${held} IS NULL THEN '' ELSE ${textOf(parts)} END`]
  })
  const [first, ...others] = members.flat()
  // The comma before the first member is left out.
  if (typeof first === 'string') return [`{${first.slice(1)}`, ...others, '}']
  return ['{', Prisma.sql`substr(${textOf(members.flat())}, 2)`, '}']
}

function messagesText(desc: DescMessage, value: Prisma.Sql): Prisma.Sql {
  const item = textOf(messageParts(desc, Prisma.sql`i.item`))
  return Prisma.sql`(SELECT ${listText(item, Prisma.sql`i.place`)} FROM jsonb_array_elements(${value}) WITH ORDINALITY i (item, place))`
}

function mapText(value: Prisma.Sql): Prisma.Sql {
  const entry = Prisma.sql`to_json(i.name)::text || ':' || to_json(i.item)::text`
  return Prisma.sql`(SELECT '{' || coalesce(string_agg(${entry}, ',' ORDER BY i.place), '') || '}' FROM jsonb_each_text(${value}) WITH ORDINALITY i (name, item, place))`
}

/** JSON of any shape without the spaces between its tokens. */
function compactText(value: Prisma.Sql): Prisma.Sql {
  const spaces = Prisma.raw(String.raw`'("(?:[^"\\]|\\.)*")|\s+', '\1', 'g'`)
  return Prisma.sql`CASE WHEN jsonb_typeof(${value}) IN ('object', 'array') THEN regexp_replace(${value}::text, ${spaces}) ELSE ${value}::text END`
}

function zeroOf({ scalar, parent, name }: DescField & { fieldKind: 'scalar' }): string {
  if (scalar === ScalarType.STRING) return '""'
  if (scalar === ScalarType.BOOL) return 'false'
  if (scalar === ScalarType.INT32) return '0'
  throw new Error(`${parent.typeName}.${name} cannot be printed of jsonb`)
}
