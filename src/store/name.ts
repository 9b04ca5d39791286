import { schema } from '../../gen/prisma/schema.js'
import type { Tables } from '../db/tables.js'
import { camelCase, type Table } from './resource/resource.js'
import { teamColumn } from './row-lock.js'
import { modelOf } from './standard-writes.js'

/** The rows of a kind of object, and the columns of its id and names, if these are not `id` and `name`. */
interface Kind {
  readonly table: Table
  readonly id?: string
  readonly names?: readonly string[]
  /** Called so without a name. */
  readonly otherwise?: string
  /** The people related to the object, who may read it whatever their teams. */
  readonly related?: readonly string[]
}

const kinds = {
  user: {
    table: schema.Membership,
    id: 'userId',
    names: ['firstName', 'lastName'],
    otherwise: 'email',
    related: ['userId'],
  },
  team: { table: schema.Team },
  group: { table: schema.Group },
  access_policy: { table: schema.AccessPolicy },
  api_key: { table: schema.ApiKey },
  app_instance: { table: schema.AppInstance },
  app_resource: { table: schema.AppResource },
  journey: { table: schema.Journey, related: ['requesterUserId', 'requesterManagerUserId'] },
  priority: { table: schema.Priority },
  sla_definition: { table: schema.SlaDefinition },
  entity_type: { table: schema.EntityType },
  entity_ingestion_config: { table: schema.EntityIngestionConfig, names: ['serviceName'] },
  webhook_endpoint: { table: schema.WebhookEndpoint, names: ['url'] },
} satisfies Readonly<Record<string, Kind>>

/** A kind of object that has a name, as the audit log calls it. */
export type NamedKind = keyof typeof kinds

export const namedKinds = Object.keys(kinds) as readonly NamedKind[]

export interface NamedRow {
  readonly type: NamedKind
  readonly id: string
  readonly name: string
}

/** Which objects of a kind are wanted, and by whom: of some teams, or `null` for any, also for no team. */
export interface WantedNames {
  readonly organizationId: string
  readonly ids: readonly string[]
  readonly teamIds: readonly string[] | null
  readonly userId: string | null
}

/** The names of objects of a kind, of those that there are. The ids of journeys are UUIDs. */
export async function readNames(
  tables: Tables,
  type: NamedKind,
  { organizationId, ids, teamIds, userId }: WantedNames,
): Promise<NamedRow[]> {
  const { table, id = 'id', names = ['name'], otherwise, related = [] }: Kind = kinds[type]
  const team = teamColumn(table)
  const isReached = team && teamIds ? [{ [camelCase(team)]: { in: [...teamIds] } }] : []
  const isRelated = userId === null ? [] : related.map((property) => ({ [property]: userId }))
  const either = [...isReached, ...isRelated]
  if (teamIds !== null && either.length === 0) return []
  const where = { organizationId, [id]: { in: [...ids] }, ...(teamIds !== null && { OR: either }) }
  const select = Object.fromEntries([id, ...names, ...(otherwise ? [otherwise] : [])].map((each) => [each, true]))
  const found = await modelOf(tables, table).findMany({ where, select })
  return found.map((row) => {
    const name = names.map((each) => row[each]).join(' ')
    return { type, id: String(row[id]), name: otherwise ? name.trim() || String(row[otherwise]) : name }
  })
}
