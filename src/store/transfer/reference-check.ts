import { Prisma } from '../../../gen/prisma/client.js'
import type { Resource } from '../resource/resource.js'
import { isReferenceTarget, type ReferenceTarget, referenceTargets } from './reference-target.js'
import { eachRow, eachValue, rowColumns } from './staged-columns.js'
import type { StagedTable } from './staged-table.js'

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
