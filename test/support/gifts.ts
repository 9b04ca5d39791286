import { teamRolePermissions } from '../../src/domain/auth/authentication.js'
import { keyPermissions, type Permission, permissions } from '../../src/domain/caller/caller.js'
import { fixture, type insertApiKey } from './fixture.js'
import type { RequestJson } from './method-forms.js'

const { acme, globex, globexIt, it: itTeam, people, users } = fixture

/** What somebody has in a team; the team that is empty is the whole organization. */
type Powers = readonly (readonly [teamId: string, permissions: readonly Permission[]])[]

const reads = permissions.filter((permission) => permission.endsWith(':read'))
/** All that keys of teams can have. */
export const ofTeams = keyPermissions.filter((each) => !/^(?:users|ingestion)/.test(each))
/** All that keys of workers can have. */
export const ofWorkers = keyPermissions.filter((each) => each !== 'audit:read')
/** All that keys of a team's workers can have. */
export const ofTeamWorkers = ofTeams.filter((each) => each !== 'audit:read')
/** What an import needs. */
export const writes = keyPermissions.filter((each) => each.endsWith(':write'))

/** Every kind of caller, and what it has (docs/permissions.md). */
export const callers: Readonly<Record<string, Powers>> = {
  'the administrator': [['', permissions]],
  'a manager': [[itTeam, permissions]],
  'a builder': [[itTeam, [...reads, 'access:write', 'apps:write']]],
  'an agent': [[itTeam, [...reads, 'tickets:write']]],
  'a contributor': [[itTeam, reads]],
  'a viewer': [[itTeam, reads]],
  'a guest with the role of an agent': [[itTeam, reads]],
  'a manager who is a viewer elsewhere': [
    [itTeam, permissions],
    [people, reads],
  ],
  'a member without a role': [],
  "the organization's key with everything": [['', keyPermissions]],
  "the organization's key that writes everything": [['', writes]],
  "the organization's key that writes users": [['', ['users:read', 'users:write']]],
  "a team's key": [[itTeam, keyPermissions]],
  'a worker': [['', ofWorkers]],
  "a team's worker": [[itTeam, ofTeamWorkers]],
}

/** Those of them who are people. */
export const persons: Readonly<Record<string, string>> = {
  'the administrator': users.admin,
  'a manager': users.manager,
  'a builder': users.builder,
  'an agent': users.agent,
  'a contributor': users.contributor,
  'a viewer': users.viewer,
  'a guest with the role of an agent': users.guest,
  'a manager who is a viewer elsewhere': users.both,
  'a member without a role': users.requester,
}

/** The status over REST, or the one that the code of an error stands for, and the body as JSON. */
export interface GiftAnswer {
  readonly status: number
  readonly text: string
}

/** What gifts are given with: a service, its organization `acme`, and the callers. */
export interface GiftGround {
  readonly call: (method: string, caller: string, request: RequestJson) => Promise<GiftAnswer>
  /** A new member without a role, by id. */
  readonly addMember: () => Promise<string>
  /** A new key, by id. */
  readonly addKey: (key: Parameters<typeof insertApiKey>[1]) => Promise<string>
}

/** A way to give somebody something, and who has enough to do it. */
export interface Gift {
  readonly name: string
  /** The method, and the field of its request that says what is given, if one does. */
  readonly by: string
  readonly isAllowed: (caller: string) => boolean
  readonly give: (caller: string, ground: GiftGround) => Promise<GiftAnswer>
}

/** Whether the caller has all of the permissions in the team, or in the whole organization. */
const has = (caller: string, teamId: string, wanted: readonly Permission[]) =>
  (callers[caller] ?? []).some(
    ([place, granted]) => (place === '' || place === teamId) && wanted.every((each) => granted.includes(each)),
  )
const isUser = (caller: string) => caller in persons
const isAboveAdministrators = (caller: string) => !caller.includes('worker') && has(caller, '', keyPermissions)
const writesUsers = (caller: string) => has(caller, '', ['users:write'])
const imports = (caller: string) => !caller.includes('worker') && has(caller, '', writes)

const wordsFor = (given: readonly Permission[]) =>
  given.length > 1 ? `${given.length} permissions` : (given[0] ?? 'the power of a directory')

const keyOf = (teamId: string, kind: 'PK' | 'WK' | 'MK', given: readonly Permission[], taken = given): Gift => ({
  name: `a ${kind} key of ${teamId || 'the organization'} with ${wordsFor(given)}`,
  by: 'CreateApiKey CreateApiKeyRequest.permissions',
  isAllowed: (caller) => isUser(caller) && teamId !== globexIt && has(caller, teamId, ['keys:write', ...taken]),
  give: (caller, { call }) =>
    call('CreateApiKey', caller, { teamId, kind: `API_KEY_KIND_${kind}`, permissions: given, name: 'Gift' }),
})

const rotationOf = (teamId: string, kind: 'pk' | 'wk' | 'mk', given: readonly Permission[], taken = given): Gift => ({
  name: `the secret of a ${kind} key of ${teamId || 'the organization'} with ${wordsFor(given)}`,
  by: 'RotateApiKey',
  isAllowed: keyOf(teamId, 'PK', given, taken).isAllowed,
  give: async (caller, { call, addKey }) => {
    const organizationId = teamId === globexIt ? globex : acme
    const id = await addKey({ organizationId, kind, permissions: given, ...(teamId !== '' && { teamId }) })
    return call('RotateApiKey', caller, { id, overlapSeconds: 0 })
  },
})

type TeamRole = keyof typeof teamRolePermissions

/** All that a caller of the kind can have. */
function possibleFor(caller: string): readonly Permission[] {
  if (isUser(caller)) return permissions
  if (caller.startsWith("a team's")) return caller.includes('worker') ? ofTeamWorkers : ofTeams
  return caller.includes('worker') ? ofWorkers : keyPermissions
}

/** Whether the caller has what the role gives, as far as its kind can have it. */
function hasRole(caller: string, teamId: string, role: TeamRole): boolean {
  const given = possibleFor(caller).filter((permission) => teamRolePermissions[role].has(permission))
  return has(caller, teamId, given)
}

const teamRoleOf = (teamId: string, role: TeamRole): Gift => ({
  name: `the role ${role} in ${teamId}`,
  by: 'SetTeamMember SetTeamMemberRequest.role',
  isAllowed: (caller) => teamId !== globexIt && has(caller, teamId, ['teams:write']) && hasRole(caller, teamId, role),
  give: async (caller, { call, addMember }) =>
    call('SetTeamMember', caller, { teamId, userId: await addMember(), role: `TEAM_USER_ROLE_${role}` }),
})

/** Imports a user, after a plan that must say the same. */
async function importUser(user: RequestJson, caller: string, { call }: GiftGround): Promise<GiftAnswer> {
  const records = [{ user: { organizationId: acme, ...user } }]
  const plan = await call('ImportRecords', caller, { records, validateOnly: true })
  const answer = await call('ImportRecords', caller, { records })
  const isPlanned = plan.status === 200 && !plan.text.includes('RECORD_OUTCOME_REFUSED')
  if (isPlanned !== (answer.status === 200)) throw new Error(`the plan ${plan.text} is not kept: ${answer.text}`)
  return answer
}

let serial = 0
const newAddress = () => `new-${++serial}@example.com`
const member = (role: 'ADMIN' | 'MEMBER') => ({ role: `USER_ROLE_ORG_${role}` })
const mayGive = (role: 'ADMIN' | 'MEMBER') => (role === 'ADMIN' ? isAboveAdministrators : writesUsers)

const userRoles = (['ADMIN', 'MEMBER'] as const).flatMap((role): Gift[] => [
  {
    name: `the role ORG_${role}, to a new user`,
    by: 'CreateUser CreateUserRequest.role',
    isAllowed: mayGive(role),
    give: (caller, { call }) => call('CreateUser', caller, { email: newAddress(), ...member(role) }),
  },
  {
    name: `the role ORG_${role}, to a member`,
    by: 'UpdateUser UpdateUserRequest.role',
    isAllowed: mayGive(role),
    give: async (caller, { call, addMember }) => call('UpdateUser', caller, { id: await addMember(), ...member(role) }),
  },
  {
    name: `the role ORG_${role}, in a batch`,
    by: 'BatchUpdateUsers UserUpdate.role',
    isAllowed: mayGive(role),
    give: async (caller, { call, addMember }) => {
      const users = [{ id: await addMember(), ...member(role) }]
      const answer = await call('BatchUpdateUsers', caller, { users })
      return answer.text.includes('_REFUSED') ? { ...answer, status: 403 } : answer
    },
  },
  {
    name: `the role ORG_${role}, by an import`,
    by: 'ImportRecords UserRecord.role',
    isAllowed: (caller) => imports(caller) && mayGive(role)(caller),
    give: (caller, ground) =>
      importUser({ id: `new-${++serial}`, email: newAddress(), ...member(role) }, caller, ground),
  },
])

const importedTeamRole = (role: TeamRole): Gift => ({
  name: `the role ${role} in a team, by an import`,
  by: 'ImportRecords UserRecord.TeamRole.role',
  isAllowed: (caller) => imports(caller) && hasRole(caller, itTeam, role),
  give: (caller, ground) => {
    const teamRoles = [{ teamId: itTeam, role: `TEAM_USER_ROLE_${role}` }]
    return importUser({ id: `new-${++serial}`, email: newAddress(), teamRoles }, caller, ground)
  },
})

/** Every way to give something, and what can be given by it. */
export const gifts: readonly Gift[] = [
  ...keyPermissions.map((permission) => keyOf('', 'PK', [permission])),
  ...ofTeams.map((permission) => keyOf(itTeam, 'PK', [permission])),
  ...[people, globexIt].map((teamId) => keyOf(teamId, 'PK', ['tickets:read'])),
  keyOf('', 'PK', keyPermissions),
  keyOf('', 'WK', ofWorkers),
  keyOf('', 'MK', [], permissions),
  ...[itTeam, people].flatMap((teamId) => [keyOf(teamId, 'PK', ofTeams), keyOf(teamId, 'WK', ofTeamWorkers)]),
  rotationOf('', 'pk', keyPermissions),
  rotationOf('', 'wk', ['tickets:read']),
  rotationOf('', 'mk', [], permissions),
  rotationOf(itTeam, 'pk', ofTeams),
  rotationOf(itTeam, 'wk', ['tickets:read']),
  rotationOf(people, 'pk', ['tickets:read']),
  rotationOf(globexIt, 'pk', ['tickets:read']),
  ...(['MANAGER', 'BUILDER', 'AGENT', 'VIEWER'] as const).flatMap((role) => [
    ...[itTeam, people, globexIt].map((teamId) => teamRoleOf(teamId, role)),
    importedTeamRole(role),
  ]),
  ...userRoles,
  {
    name: 'the address of an administrator',
    by: 'UpdateUser',
    isAllowed: isAboveAdministrators,
    give: (caller, { call }) => call('UpdateUser', caller, { id: 'second-admin', email: newAddress() }),
  },
]
