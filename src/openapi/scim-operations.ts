/** An answer: its status, and the schema of its body, if that is not empty. */
export interface ScimSuccess {
  readonly status: number
  readonly schema?: string
  readonly description: string
}

/** What the document says of an operation. */
export interface ScimOperationText {
  readonly summary: string
  readonly description: string
  /** The schema of the body; absent without one. */
  readonly body?: string
  readonly success: ScimSuccess
  /** The answer to a request that names attributes, if that is another one. */
  readonly projected?: ScimSuccess
  /** The parameters beside those of the path, by the names of their components. */
  readonly parameters?: readonly string[]
  /** The headers of the answer. */
  readonly headers?: readonly string[]
}

const projection = ['attributes', 'excludedAttributes']
const range = ['filter', 'startIndex', 'count', 'sortBy', 'sortOrder']
const ofOne = ['ETag', 'Content-Location']

type Texts = Readonly<Record<string, ScimOperationText>>

function listsOf(type: 'User' | 'Group', many: string): Texts {
  const success = { status: 200, schema: `${type}List`, description: `The ${many} that were asked for.` }
  return {
    [`${type}s/List`]: {
      summary: `List ${many}`,
      description: `Lists ${many}, in the order of their creation unless the request gives another one.`,
      parameters: [...range, ...projection],
      success,
    },
    [`${type}s/Search`]: {
      summary: `Search ${many}`,
      description: `Lists ${many}, with what the query of a list says in a body.`,
      body: 'SearchRequest',
      success,
    },
  }
}

const discovery = (schema: string, summary: string, description: string): ScimOperationText => ({
  summary,
  description,
  success: { status: 200, schema, description },
})

/** What the document says of each operation of SCIM, by the operation's name. */
export const scimOperationTexts: Texts = {
  'Users/Create': {
    summary: 'Add a user',
    description:
      'Adds a person to the organization. Who was deactivated or deleted comes back under the same id: who has the ' +
      '`externalId`, or, if the request or that user has none, the `userName`.',
    body: 'UserInput',
    parameters: projection,
    success: { status: 201, schema: 'User', description: 'The user, who is new or has come back.' },
    headers: ['ETag', 'Location'],
  },
  'Users/Get': {
    summary: 'Get a user',
    description: 'Answers a member of the organization, whoever has added the member.',
    parameters: [...projection, 'IfNoneMatch'],
    success: { status: 200, schema: 'User', description: 'The user.' },
    headers: ofOne,
  },
  'Users/Replace': {
    summary: 'Replace a user',
    description:
      'Stores and locks what the body has. What it lacks is unlocked and keeps its value; without `active` and ' +
      '`externalId`, these stay as they are.',
    body: 'UserInput',
    parameters: [...projection, 'IfMatch'],
    success: { status: 200, schema: 'User', description: 'The user after the change.' },
    headers: ofOne,
  },
  'Users/Patch': {
    summary: 'Change a user',
    description: 'Changes what the operations name, in any of the forms that identity providers send.',
    body: 'PatchRequest',
    parameters: [...projection, 'IfMatch'],
    success: { status: 200, schema: 'User', description: 'The user after the change.' },
    headers: ofOne,
  },
  'Users/Delete': {
    summary: 'Delete a user',
    description:
      'Deactivates the person, whose email address stays taken, and hides the user from the provider until it is added again.',
    parameters: ['IfMatch'],
    success: { status: 204, description: 'Done. The body is empty.' },
  },
  ...listsOf('User', 'users'),
  'Groups/Create': {
    summary: 'Add a group',
    description: 'Adds a group, whose name no other group has in any case.',
    body: 'GroupInput',
    parameters: projection,
    success: { status: 201, schema: 'Group', description: 'The new group.' },
    headers: ['ETag', 'Location'],
  },
  'Groups/Get': {
    summary: 'Get a group',
    description: 'Answers a group with its members, which `excludedAttributes=members` leaves out.',
    parameters: [...projection, 'IfNoneMatch'],
    success: { status: 200, schema: 'Group', description: 'The group.' },
    headers: ofOne,
  },
  'Groups/Replace': {
    summary: 'Replace a group',
    description: 'Gives the group the name and exactly the members of the body; without `externalId`, it stays.',
    body: 'GroupInput',
    parameters: [...projection, 'IfMatch'],
    success: { status: 200, schema: 'Group', description: 'The group after the change.' },
    headers: ofOne,
  },
  'Groups/Patch': {
    summary: 'Change a group',
    description:
      'Renames the group, or adds, removes or replaces members, in any of the forms that identity providers send.',
    body: 'PatchRequest',
    parameters: [...projection, 'IfMatch'],
    success: { status: 204, description: 'Done. The body is empty.' },
    projected: { status: 200, schema: 'Group', description: 'The group, if the request names attributes.' },
    headers: ofOne,
  },
  'Groups/Delete': {
    summary: 'Delete a group',
    description: 'Deletes a group, unless it approves something.',
    parameters: ['IfMatch'],
    success: { status: 204, description: 'Done. The body is empty.' },
  },
  ...listsOf('Group', 'groups'),
  'ServiceProviderConfig/Get': discovery(
    'ServiceProviderConfig',
    'Get the configuration',
    'What the service supports.',
  ),
  'ResourceTypes/List': discovery('ResourceTypeList', 'List types of resources', 'The types of resources.'),
  'ResourceTypes/Get': discovery('ResourceType', 'Get a type of resource', 'A type of resource, by its name.'),
  'Schemas/List': discovery('SchemaList', 'List schemas', 'The schemas of all resources.'),
  'Schemas/Get': discovery('Schema', 'Get a schema', 'A schema, by its URN.'),
}

/** The tags of the operations, by the first part of their names. */
export const scimTags: Readonly<Record<string, string>> = {
  Users: 'The members of the organization.',
  Groups: 'Groups of members.',
  ServiceProviderConfig: 'What the service supports.',
  ResourceTypes: 'Types of resources.',
  Schemas: 'Schemas of resources.',
}
