import { Prisma } from '../../../gen/prisma/client.js'
import type { Resource } from '../resource/resource.js'
import { eachRow, eachValue, equal, rowColumns, type StagedTable } from './staged-table.js'
import {
  type Expressions,
  isReferenceTarget,
  type ReferenceTarget,
  referenceTargets,
  type TransferOwner,
} from './transfer-table.js'
import { storedValues } from './upsert.js'

/** The columns of the rows that checks return. */
export interface Fault {
  readonly line: number
  readonly field: string
  readonly fault: string
}

/** Finds records whose owner does not exist. */
export function ownerCheck(staged: Prisma.Sql, { field, noun }: TransferOwner): Prisma.Sql {
  return Prisma.sql`
SELECT s.line, '${Prisma.raw(field)}' AS field, format('there is no ${Prisma.raw(noun)} %s', s.owner_id) AS fault
FROM ${staged} s WHERE s.organization_id IS NULL`
}

/** Finds records whose owner is ambiguous, because several organizations have the id. */
export function ambiguousOwnerCheck(staged: Prisma.Sql, { field, noun }: TransferOwner): Prisma.Sql {
  return Prisma.sql`
SELECT s.line, '${Prisma.raw(field)}' AS field,
  format('several organizations have a${Prisma.raw(/^[aeiou]/.test(noun) ? 'n' : '')} ${Prisma.raw(noun)} %s', s.owner_id) AS fault
FROM ${staged} s GROUP BY s.line, s.owner_id HAVING count(*) > 1`
}

/**
 * Finds values that another row will have as well: an existing one that the file does not change, or one of the file,
 * of which the later line is at fault.
 */
export function takenCheck(kind: StagedTable, field: string, columns: readonly string[]): Prisma.Sql {
  const { table, staged, identity, stem, values = {} } = kind
  const [noun, id] = [stem.replaceAll('_', ' '), identity.at(-1)].map((name) => Prisma.raw(String(name)))
  const own: Expressions = { ...storedValues('s', [...identity, ...columns]), ...values }
  const wanted = [...identity, ...columns].map((column) => Prisma.sql`${own[column]} AS ${Prisma.raw(column)}`)
  const fault = Prisma.sql`
SELECT w.line, '${Prisma.raw(field)}' AS field, format('${noun} %s already has it', other.${id}) AS fault FROM wanted w`
  const isOther = equal(['organization_id', ...columns], 'other', 'w')
  return Prisma.sql`
WITH wanted AS (
  SELECT s.line, ${Prisma.join(wanted)} FROM ${staged} s LEFT JOIN ${table} t ON ${equal(identity, 't', 's')}
)
${fault} JOIN wanted other ON ${isOther} AND other.line < w.line
UNION ALL
${fault} JOIN ${table} other ON ${isOther} LEFT JOIN ${staged} s ON ${equal(identity, 's', 'other')} WHERE s.line IS NULL`
}

/** A reference somewhere in staged records. */
export interface Reference {
  readonly to: ReferenceTarget
  /** The id; empty or null if there is none. */
  readonly id: Prisma.Sql
  /** The name of the field. */
  readonly field: Prisma.Sql
  /** Joined to the staging table if the id is in a list of the record. */
  readonly join: Prisma.Sql
}

/** Finds references to what is not in the record's organization. */
export function referenceCheck(staged: Prisma.Sql, { to, id, field, join }: Reference): Prisma.Sql {
  const { noun, id: column } = referenceTargets[to]
  return Prisma.sql`
SELECT s.line, ${field} AS field, format('there is no ${Prisma.raw(noun)} %s in the organization', ${id}) AS fault
FROM ${staged} s ${join}
LEFT JOIN ${Prisma.raw(to)} target ON target.organization_id = s.organization_id AND target.${Prisma.raw(column)} = ${id}
WHERE ${id} <> '' AND target.${Prisma.raw(column)} IS NULL`
}

/**
 * The references of a kind, by names for their checks: those in the schema of the database, except the owner and
 * records of the same kind, and those that the kind declares.
 */
export function referencesOf({ resource, owner, references = {} }: StagedTable): ReadonlyMap<string, Reference> {
  const found = new Map<string, Reference>()
  const add = (name: string, to: string | undefined, reference: Omit<Reference, 'to'>) => {
    if (isReferenceTarget(to) && to !== resource.table.name) found.set(name, { to, ...reference })
  }
  for (const { field, source } of resource.fields) {
    const { name, jsonName } = field
    if (source.kind === 'column' && field.localName !== owner?.field) {
      const id = Prisma.raw(`s.${source.name}`)
      add(name, resource.table.references[source.name], { id, field: Prisma.raw(`'${jsonName}'`), join: Prisma.empty })
    }
    if (source.kind === 'values') {
      const at = Prisma.raw(`format('${jsonName}[%s]', item.place - 1)`)
      const place = { id: Prisma.sql`item.value`, field: at, join: eachValue(name, 'item') }
      add(name, source.table.references[source.column], place)
    }
    if (source.kind === 'parts') {
      const join = eachRow(name, 'item', rowColumns(source.resource))
      for (const part of source.resource.fields) {
        if (part.source.kind !== 'column' || part.source.name === source.parent) continue
        const id = Prisma.raw(`item.${part.source.name}`)
        const at = Prisma.raw(`format('${jsonName}[%s].${part.field.jsonName}', item.place - 1)`)
        const to =
          references[`${jsonName}.${part.field.jsonName}`] ?? source.resource.table.references[part.source.name]
        add(`${name}_${part.field.name}`, to, { id, field: at, join })
      }
    }
  }
  return found
}

/** The column of a field. */
export function columnOf({ desc, fields }: Resource, name: string): string {
  const source = fields.find(({ field }) => field.localName === name)?.source
  if (source?.kind !== 'column') throw new Error(`${desc.typeName}.${name} is in no column`)
  return source.name
}
