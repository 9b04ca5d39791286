import { fixture } from '../../../test/support/fixture.js'

/** A request message as JSON. */
export type RequestJson = Readonly<Record<string, unknown>>

/** A place of a request where an id can stand. */
export interface ForeignPlace {
  /** The method and the field. */
  readonly name: string
  readonly method: string
  /** Ids that belong to another organization, and those that belong to another team of the same one. */
  readonly otherOrganization: string
  readonly otherTeam?: string
  readonly request: (id: string) => RequestJson
}

const { it, people, globexIt, users } = fixture
const { accessPolicies, appInstances, appResources, entityTypes, groups, ingestionConfigs, journeys, priorities } =
  fixture

const of = (kind: { readonly globex: string; readonly people?: string }) => ({
  otherOrganization: kind.globex,
  ...(kind.people !== undefined && { otherTeam: kind.people }),
})
const teams = { otherOrganization: globexIt, otherTeam: people }
const persons = { otherOrganization: users.globexAdmin }

/** Every place of every method. */
export const foreignPlaces: readonly ForeignPlace[] = [
  place('CreateAccessPolicyApprovalProcedure accessPolicyId', of(accessPolicies), (accessPolicyId) => ({
    accessPolicyId,
    steps: [{ approvers: [{ manager: {} }] }],
  })),
  place('CreateAccessPolicyApprovalProcedure user', persons, (userId) => ({
    accessPolicyId: accessPolicies.it,
    steps: [{ approvers: [{ user: { userId } }] }],
  })),
  place('CreateAccessPolicyApprovalProcedure group', of(groups), (groupId) => ({
    accessPolicyId: accessPolicies.it,
    steps: [{ approvers: [{ group: { groupId } }] }],
  })),
  place('BatchUpdateAppResources id', of(appResources), (id) => ({ resources: [{ id, name: 'Renamed' }] })),
  place('BatchUpdateAppResources id beside an own one', of(appResources), (id) => ({
    resources: [{ id: appResources.it, name: 'Renamed' }, { id }],
  })),
  place('UpdatePriority id', of(priorities), (id) => ({ id, name: 'Renamed' })),
  place('UpdatePriority id, malformed name', of(priorities), (id) => ({ id, name: '' })),
  place('ListAppInstances teamId', teams, (teamId) => ({ teamId })),
  place('GetJourney id', of(journeys), (id) => ({ id })),
  place('ListEntityIngestionConfigs teamId', teams, (teamId) => ({ teamId })),
  place('ListEntityIngestionConfigs appInstanceId', of(appInstances), (appInstanceId) => ({
    teamId: it,
    appInstanceId,
  })),
  place('ListEntityFieldMappings entityTypeId', of(entityTypes), (entityTypeId) => ({ entityTypeId })),
  place('ListEntityFieldMappings ingestionConfigId', of(ingestionConfigs), (ingestionConfigId) => ({
    entityTypeId: entityTypes.it,
    ingestionConfigId,
  })),
  place('ListSlaDefinitions teamId', teams, (teamId) => ({ teamId })),
  place('GetUser id', persons, (id) => ({ id })),
  place('UpdateUser id', persons, (id) => ({ id, jobTitle: 'Agent' })),
  place('UpdateUser id, email', persons, (id) => ({ id, email: 'other@example.com' })),
  place('UpdateUser id, pins', persons, (id) => ({ id, pinFields: ['USER_PROFILE_FIELD_JOB_TITLE'] })),
  place('GetUserRelationship userId', persons, (userId) => ({ userId })),
  place('CreateUserRelationship userId', persons, (userId) => ({ userId, relatedUserId: users.manager })),
  place('CreateUserRelationship relatedUserId', persons, (relatedUserId) => ({ userId: users.agent, relatedUserId })),
  place('CreateUserRelationship both', persons, (id) => ({ userId: id, relatedUserId: id })),
  place('DeleteUserRelationship userId', persons, (userId) => ({ userId })),
  place('RepublishUser id', persons, (id) => ({ id })),
  place('ListAuditEvents targetId', persons, (targetId) => ({ targetId })),
  place('ListAuditEvents targetId of a priority', of(priorities), (targetId) => ({ targetId })),
]

function place(
  name: string,
  foreign: Pick<ForeignPlace, 'otherOrganization' | 'otherTeam'>,
  request: ForeignPlace['request'],
): ForeignPlace {
  const [method = ''] = name.split(' ')
  return { name, method, request, ...foreign }
}

/** A request of SCIM with an id in it. */
export interface ScimPlace {
  readonly name: string
  readonly foreign: string
  readonly request: (id: string) => { readonly method: string; readonly path: string; readonly body?: unknown }
}

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const patch = (...Operations: readonly object[]) => ({ schemas: [PATCH], Operations })
const filtered = (kind: string, filter: string) => ({
  method: 'GET',
  path: `/${kind}?filter=${encodeURIComponent(filter)}`,
})

/** Every place of SCIM. */
export const scimPlaces: readonly ScimPlace[] = [
  ...(['GET', 'DELETE'] as const).flatMap((method) => [
    {
      name: `${method} /Users/{id}`,
      foreign: users.globexAdmin,
      request: (id: string) => ({ method, path: `/Users/${id}` }),
    },
    {
      name: `${method} /Groups/{id}`,
      foreign: groups.globex,
      request: (id: string) => ({ method, path: `/Groups/${id}` }),
    },
  ]),
  {
    name: 'PUT /Users/{id}',
    foreign: users.globexAdmin,
    request: (id) => ({ method: 'PUT', path: `/Users/${id}`, body: { schemas: [USER], userName: 'x@example.com' } }),
  },
  {
    name: 'PATCH /Users/{id}',
    foreign: users.globexAdmin,
    request: (id) => ({
      method: 'PATCH',
      path: `/Users/${id}`,
      body: patch({ op: 'replace', path: 'active', value: false }),
    }),
  },
  {
    name: 'PUT /Groups/{id}',
    foreign: groups.globex,
    request: (id) => ({ method: 'PUT', path: `/Groups/${id}`, body: { schemas: [GROUP], displayName: 'X' } }),
  },
  {
    name: 'PATCH /Groups/{id}',
    foreign: groups.globex,
    request: (id) => ({
      method: 'PATCH',
      path: `/Groups/${id}`,
      body: patch({ op: 'replace', path: 'displayName', value: 'X' }),
    }),
  },
  {
    name: 'a member who is added',
    foreign: users.globexAdmin,
    request: (value) => ({
      method: 'PATCH',
      path: `/Groups/${groups.it}`,
      body: patch({ op: 'add', path: 'members', value: [{ value }] }),
    }),
  },
  {
    name: 'a member of a new group',
    foreign: users.globexAdmin,
    request: (value) => ({
      method: 'POST',
      path: '/Groups',
      body: { schemas: [GROUP], displayName: 'X', members: [{ value }] },
    }),
  },
  {
    name: 'a member who is removed',
    foreign: users.globexAdmin,
    request: (value) => ({
      method: 'PATCH',
      path: `/Groups/${groups.it}?attributes=displayName`,
      body: patch({ op: 'remove', path: `members[value eq "${value}"]` }),
    }),
  },
  {
    name: 'a manager',
    foreign: users.globexAdmin,
    request: (value) => ({
      method: 'PATCH',
      path: `/Users/${users.viewer}`,
      body: patch({ op: 'replace', path: `${ENTERPRISE}:manager`, value }),
    }),
  },
  { name: 'a filter by id', foreign: users.globexAdmin, request: (id) => filtered('Users', `id eq "${id}"`) },
  {
    name: 'a filter by userName',
    foreign: `${users.globexAdmin}@example.com`,
    request: (id) => filtered('Users', `userName eq "${id}"`),
  },
  {
    name: 'a filter by manager',
    foreign: users.globexAdmin,
    request: (id) => filtered('Users', `${ENTERPRISE}:manager.value eq "${id}"`),
  },
  { name: 'a filter of groups by id', foreign: groups.globex, request: (id) => filtered('Groups', `id eq "${id}"`) },
  {
    name: 'a filter of groups by member',
    foreign: users.globexAdmin,
    request: (id) => filtered('Groups', `members.value eq "${id}"`),
  },
]
