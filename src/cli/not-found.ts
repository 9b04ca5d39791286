import type { Tables } from '../db/tables.js'
import { ServiceError } from '../errors.js'
import { nearestName } from '../protojson/nearest.js'
import { findMembers } from '../store/operator-search.js'
import { findTeams, listOrganizations } from '../store/organization.js'

/** The most rows among which the nearest name is looked for, each with a name of its own. */
const MOST = 10_000

/**
 * Replaces an error about something that does not exist by one that names the nearest that does: operators have access
 * to everything, so the name is misspelled. Returns any other error unchanged.
 */
export async function errorForOperator(tables: Tables, error: unknown): Promise<unknown> {
  if (!(error instanceof ServiceError) || error.reason !== 'RESOURCE_NOT_FOUND') return error
  const { resourceType = '', resourceId = '' } = error.metadata
  const fault = `there is no ${resourceType.replaceAll('_', ' ')} ${resourceId}`
  const kind = kinds[resourceType]
  if (kind === undefined) return new Error(fault, { cause: error })
  const id = nearest(resourceId, await kind.names(tables))
  const advice = id === undefined || id === resourceId ? `"${kind.command}" lists them` : `did you mean ${id}?`
  return new Error(`${fault}: ${advice}`, { cause: error })
}

type Named = readonly [id: string, ...others: string[]]

interface Kind {
  readonly command: string
  readonly names: (tables: Tables) => Promise<readonly Named[]>
}

const users: Kind = {
  command: 'svc users list --org ID',
  names: async (tables) => (await findMembers(tables, { most: MOST })).map(({ userId, email }) => [userId, email]),
}

const kinds: Readonly<Record<string, Kind>> = {
  organization: {
    command: 'svc organizations list',
    names: async (tables) => (await listOrganizations(tables)).map(({ id, name }) => [id, name]),
  },
  team: {
    command: 'svc export',
    names: async (tables) => (await findTeams(tables, {}, MOST)).map(({ id, name }) => [id, name]),
  },
  user: users,
  active_member: users,
}

/** The id of what has the nearest name, or one that contains what was given; undefined if none is near. */
function nearest(given: string, known: readonly Named[]): string | undefined {
  const wanted = given.toLowerCase()
  const ids = new Map(
    known.flatMap(([id, ...others]) => [id, ...others].map((name) => [name.toLowerCase(), id] as const)),
  )
  const names = [...ids.keys()]
  const inside = wanted.length < 3 ? undefined : names.find((name) => name.includes(wanted))
  return ids.get(inside ?? nearestName(wanted, names, 2 * MOST) ?? '')
}
