import type { JsonObject } from '@bufbuild/protobuf'

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const messageOf = (name: string) => [`urn:ietf:params:scim:api:messages:2.0:${name}`]

const HANNA = 'user_hanna'
const ONBOARDING = 'group_onboarding'

/** The request of a reader who fills in the examples: what follows is on the demo organization. */
export interface ScimExample {
  /** Of the path or the query, by name. */
  readonly parameters?: Readonly<Record<string, string>>
  readonly body?: JsonObject
}

/** An example of each operation of SCIM, by the operation's name. */
export const scimExamples: Readonly<Record<string, ScimExample>> = {
  'Users/Create': {
    body: {
      schemas: [USER, ENTERPRISE],
      userName: 'olga@acme.example',
      externalId: '00u1olga',
      name: { givenName: 'Olga', familyName: 'Petrova' },
      emails: [{ value: 'olga@acme.example', type: 'work', primary: true }],
      title: 'Auditor',
      active: true,
      [ENTERPRISE]: { department: 'Finance', manager: { value: 'user_bela' } },
    },
  },
  'Users/Get': { parameters: { id: HANNA } },
  'Users/Replace': {
    parameters: { id: HANNA },
    body: {
      schemas: [USER, ENTERPRISE],
      userName: 'hanna@acme.example',
      externalId: '00u1hanna',
      name: { givenName: 'Hanna', familyName: 'Schulz' },
      emails: [{ value: 'hanna@acme.example', type: 'work', primary: true }],
      title: 'Head of People',
      active: true,
      [ENTERPRISE]: { department: 'People' },
    },
  },
  'Users/Patch': {
    parameters: { id: HANNA },
    body: {
      schemas: messageOf('PatchOp'),
      Operations: [
        { op: 'replace', path: 'title', value: 'Recruiter' },
        { op: 'add', path: `${ENTERPRISE}:manager`, value: { value: 'user_ada' } },
      ],
    },
  },
  'Users/Delete': { parameters: { id: 'user_nils' } },
  'Users/List': { parameters: { filter: 'userName eq "hanna@acme.example"' } },
  'Users/Search': {
    body: {
      schemas: messageOf('SearchRequest'),
      filter: 'emails[type eq "work"].value eq "hanna@acme.example" and active eq true',
      attributes: ['userName', 'name'],
      count: 10,
    },
  },
  'Groups/Create': {
    body: { schemas: [GROUP], displayName: 'Auditors', externalId: 'grp-1', members: [{ value: HANNA }] },
  },
  'Groups/Get': { parameters: { id: ONBOARDING } },
  'Groups/Replace': {
    parameters: { id: ONBOARDING },
    body: { schemas: [GROUP], displayName: 'Onboarding Crew', members: [{ value: HANNA }, { value: 'user_emre' }] },
  },
  'Groups/Patch': {
    parameters: { id: ONBOARDING },
    body: {
      schemas: messageOf('PatchOp'),
      Operations: [
        { op: 'add', path: 'members', value: [{ value: 'user_goro' }] },
        { op: 'remove', path: 'members[value eq "user_emre"]' },
      ],
    },
  },
  'Groups/Delete': { parameters: { id: ONBOARDING } },
  'Groups/List': { parameters: { filter: 'displayName eq "Budget Owners"', excludedAttributes: 'members' } },
  'Groups/Search': {
    body: { schemas: messageOf('SearchRequest'), filter: 'members eq "user_hanna"', attributes: ['displayName'] },
  },
  'ServiceProviderConfig/Get': {},
  'ResourceTypes/List': {},
  'ResourceTypes/Get': { parameters: { id: 'User' } },
  'Schemas/List': {},
  'Schemas/Get': { parameters: { id: GROUP } },
}
