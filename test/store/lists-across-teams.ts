import { listAppInstances } from '../../src/domain/app-instance.js'
import type { Caller } from '../../src/domain/caller/caller.js'
import { listEntityIngestionConfigs } from '../../src/domain/entity-ingestion-config.js'
import { listSlaDefinitions } from '../../src/domain/sla-definition.js'
import type { TeamListRequest } from '../../src/domain/team-list.js'
import { listTeamMembers, type TeamMemberListRequest } from '../../src/domain/team-member.js'
import { fixture } from '../support/fixture.js'
import { scopeOn } from '../support/scope.js'
import type { Database } from '../support/sql.js'

const { it: few, people: many } = fixture

type Readers = Readonly<Record<string, Caller>>

/** Asks for all of what a team has. */
export const wholeList = { pageSize: 0, pageToken: '' }

/** Reads ingestion configs. */
export const listConfigs = (
  sql: Database,
  caller: Caller,
  request: TeamListRequest & { readonly appInstanceId?: string },
) => listEntityIngestionConfigs(scopeOn(sql, caller), { appInstanceId: '', ...request })

/** Roles, of which nearly all are in one team and end, for callers who see all, those of one team, or those of most. */
const roleFilters: readonly Partial<TeamMemberListRequest>[] = [
  {},
  { expiresBefore: '2100-01-01T00:00:00Z' },
  { expiresBefore: '2000-01-01T00:00:00Z' },
  { teamId: few },
  { teamId: few, expiresBefore: '2100-01-01T00:00:00Z' },
]
const rolesFor = (readers: Readers) =>
  Object.entries(readers).flatMap(([name, caller]) =>
    roleFilters.map((filter) => {
      const request = { pageSize: 40, pageToken: '', includeTotal: false, teamId: '-', expiresBefore: '', ...filter }
      const read = (sql: Database) => listTeamMembers(scopeOn(sql, caller), request)
      return [`roles for ${name} with the filter ${JSON.stringify(filter)}`, read] as const
    }),
  )

/** What belongs to teams, nearly all of it to one and with one name, across teams and by name. */
const teamFilters: readonly { readonly teamId: string; readonly q: string }[] = [
  { teamId: '-', q: '' },
  { teamId: '-', q: 'Rare' },
  { teamId: '-', q: 'BULK' },
  { teamId: few, q: 'BULK' },
  { teamId: many, q: 'BULK' },
]
const ownedFor = (readers: Readers) =>
  Object.entries(readers).flatMap(([name, caller]) =>
    teamFilters.flatMap(({ teamId, q }) => {
      if (teamId === many && name === 'a manager') return []
      // Each SLA definition passes through the parts of the plan that print what it has.
      const request = { pageToken: '', pageSize: 20, teamId, q }
      const reads: Record<string, (sql: Database) => Promise<unknown>> = {
        'app instances': (sql) => listAppInstances(scopeOn(sql, caller), request),
        'SLA definitions': (sql) => listSlaDefinitions(scopeOn(sql, caller), request),
        'ingestion configs': (sql) => listConfigs(sql, caller, request),
        'ingestion configs of an app instance': (sql) =>
          listConfigs(sql, caller, { ...request, appInstanceId: fixture.appInstances.it }),
      }
      return Object.entries(reads).map(
        ([what, read]) => [`${what} for ${name} with the filter ${JSON.stringify({ teamId, q })}`, read] as const,
      )
    }),
  )

/** The lists that can be read across teams, by what they are, for callers by name. */
export function listsAcrossTeams(readers: Readers): Record<string, (database: Database) => Promise<unknown>> {
  return Object.fromEntries([...rolesFor(readers), ...ownedFor(readers)])
}
