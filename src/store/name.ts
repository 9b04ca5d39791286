import { Prisma } from '../../gen/prisma/client.js'
import type { Parameter } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { nameIn } from './member-name.js'
import { createQuery } from './query.js'
import { inTeams, isOneOf, ofOrganization } from './visibility.js'

/** Of each kind of object, as the audit log names it: its rows `o`, what they are called, and the team they belong to. */
const kinds = {
  user: ['memberships', Prisma.sql`coalesce(nullif(${nameIn('o')}, ''), o.email)`, null, 'user_id'],
  team: ['teams', 'name', 'id'],
  group: ['groups', 'name', null],
  access_policy: ['access_policies', 'name', 'team_id'],
  api_key: ['api_keys', 'name', 'team_id'],
  app_instance: ['app_instances', 'name', 'team_id'],
  app_resource: ['app_resources', 'name', 'team_id'],
  journey: ['journeys', 'name', 'team_id'],
  priority: ['priorities', 'name', 'team_id'],
  sla_definition: ['sla_definitions', 'name', 'team_id'],
  entity_type: ['entity_types', 'name', 'team_id'],
  entity_ingestion_config: ['entity_ingestion_configs', 'service_name', 'team_id'],
  webhook_endpoint: ['webhook_endpoints', 'url', 'team_id'],
} satisfies Readonly<
  Record<string, readonly [table: string, name: string | Prisma.Sql, team: string | null, id?: string]>
>

/** A kind of object that has a name. */
export type NamedKind = keyof typeof kinds

export const namedKinds = Object.keys(kinds) as readonly NamedKind[]

/** Which objects of a kind are wanted, and the teams of which they may be; `null` for any, also for no team. */
export interface WantedNames {
  readonly ids: readonly string[]
  readonly teamIds: readonly string[] | null
}

/** The names that are wanted, and of whom a caller who is related to an object is. */
export type NameSelection = Readonly<Record<NamedKind, WantedNames>> & {
  readonly organizationId: string
  readonly userId: string | null
}

export interface NamedRow {
  readonly type: string
  readonly id: string
  readonly name: string
}

type Parameters = Readonly<Record<string, readonly string[] | string | null>>

/** Those who are related to an object read it whatever their teams are. */
const related: Partial<Record<NamedKind, Prisma.Sql>> = {
  user: Prisma.sql`OR o.user_id = ${{ parameter: 'userId' }}`,
  journey: Prisma.sql`OR o.requester_user_id = ${{ parameter: 'userId' }}
                      OR o.requester_manager_user_id = ${{ parameter: 'userId' }}`,
}

function namesOf(kind: NamedKind): Prisma.Sql {
  const [table, name, team, id = 'id'] = kinds[kind]
  const ids: Parameter = { parameter: `${kind}_ids` }
  const key = Prisma.raw(`o.${id}`)
  const isIn = inTeams(team === null ? Prisma.sql`NULL::text` : Prisma.raw(`o.${team}`), {
    parameter: `${kind}_teams`,
  })
  return Prisma.sql`
SELECT ${Prisma.raw(`'${kind}'`)} AS type, ${key}::text AS id, ${typeof name === 'string' ? Prisma.raw(`o.${name}`) : name} AS name
  FROM ${Prisma.raw(table)} o
 WHERE ${ofOrganization('o')} AND ${isOneOf(key, ids, kind === 'journey' ? 'uuid' : 'text')}
   AND (${isIn} ${related[kind] ?? Prisma.empty})`
}

const list = createQuery<Parameters, NamedRow>({
  name: 'list_names',
  columns: { type: 'text', id: 'text', name: 'text' },
  text: () => Prisma.join(namedKinds.map(namesOf), ' UNION ALL '),
})

/** The names of objects, of those that there are. The ids of journeys are UUIDs. */
export function readNames(tables: Tables, { organizationId, userId, ...wanted }: NameSelection): Promise<NamedRow[]> {
  const values = namedKinds.flatMap((kind) => [
    [`${kind}_ids`, wanted[kind].ids] as const,
    [`${kind}_teams`, wanted[kind].teamIds] as const,
  ])
  return list(tables, { organizationId, userId, ...Object.fromEntries(values) })
}
