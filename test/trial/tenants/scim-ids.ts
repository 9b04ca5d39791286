import { fixture } from '../../support/fixture.js'

const { groups, users } = fixture

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
