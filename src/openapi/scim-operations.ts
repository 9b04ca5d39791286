/** A response: its status, and the schema of its body unless it is empty. */
export interface ScimSuccess {
  readonly status: number
  readonly schema?: string
  readonly description: string
}

/** What the document says about an operation. */
export interface ScimOperationText {
  readonly summary: string
  readonly description: string
  /** The schema of the body; absent without one. */
  readonly body?: string
  readonly success: ScimSuccess
  /** The response to a request that names attributes, if it differs. */
  readonly projected?: ScimSuccess
  /** The parameters other than those of the path, by component name. */
  readonly parameters?: readonly string[]
  /** The headers of the response. */
  readonly headers?: readonly string[]
}

const projection = ['attributes', 'excludedAttributes']
const range = ['filter', 'startIndex', 'count', 'sortBy', 'sortOrder']
const ofOne = ['ETag', 'Content-Location']

type Texts = Readonly<Record<string, ScimOperationText>>

function listsOf(type: 'User' | 'Group', many: string): Texts {
  const success = { status: 200, schema: `${type}List`, description: `One page of ${many}.` }
  return {
    [`${type}s/List`]: {
      summary: `List ${many}`,
      description: `Lists ${many}, in creation order unless the request sorts them.`,
      parameters: [...range, ...projection],
      success,
    },
    [`${type}s/Search`]: {
      summary: `Search ${many}`,
      description: `Lists ${many}, with the parameters in the body instead of the query string.`,
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

/** What the document says about each SCIM operation, by the operation's name. */
export const scimOperationTexts: Texts = {
  'Users/Create': {
    summary: 'Create a user',
    description:
      'Creates a user, or reactivates a deactivated or deleted user under the same id. That user is matched by ' +
      '`externalId` or, if the request or the user has none, by `userName`.',
    body: 'UserInput',
    parameters: projection,
    success: { status: 201, schema: 'User', description: 'The user, created or reactivated.' },
    headers: ['ETag', 'Location'],
  },
  'Users/Get': {
    summary: 'Get a user',
    description: 'Returns a user, whoever created it.',
    parameters: [...projection, 'IfNoneMatch'],
    success: { status: 200, schema: 'User', description: 'The user.' },
    headers: ofOne,
  },
  'Users/Replace': {
    summary: 'Replace a user',
    description:
      'Stores and locks the fields in the body. Fields that are absent are unlocked and keep their values; so do ' +
      '`active` and `externalId`.',
    body: 'UserInput',
    parameters: [...projection, 'IfMatch'],
    success: { status: 200, schema: 'User', description: 'The user after the change.' },
    headers: ofOne,
  },
  'Users/Patch': {
    summary: 'Change a user',
    description: 'Applies the operations, in any of the forms that identity providers send.',
    body: 'PatchRequest',
    parameters: [...projection, 'IfMatch'],
    success: { status: 200, schema: 'User', description: 'The user after the change.' },
    headers: ofOne,
  },
  'Users/Delete': {
    summary: 'Delete a user',
    description:
      'Deactivates the user, whose email address remains reserved, and hides the user from the provider until it is ' +
      'created again.',
    parameters: ['IfMatch'],
    success: { status: 204, description: 'Done. The body is empty.' },
  },
  ...listsOf('User', 'users'),
  'Groups/Create': {
    summary: 'Create a group',
    description: 'Creates a group. Its name must be unique in the organization, ignoring case.',
    body: 'GroupInput',
    parameters: projection,
    success: { status: 201, schema: 'Group', description: 'The new group.' },
    headers: ['ETag', 'Location'],
  },
  'Groups/Get': {
    summary: 'Get a group',
    description: 'Returns a group with its members; `excludedAttributes=members` omits them.',
    parameters: [...projection, 'IfNoneMatch'],
    success: { status: 200, schema: 'Group', description: 'The group.' },
    headers: ofOne,
  },
  'Groups/Replace': {
    summary: 'Replace a group',
    description: 'Sets the name and the exact members of the group. Without `externalId`, the stored one is kept.',
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
    projected: { status: 200, schema: 'Group', description: 'The group, if the request asks for attributes.' },
    headers: ofOne,
  },
  'Groups/Delete': {
    summary: 'Delete a group',
    description: 'Deletes a group, unless an approval procedure uses it.',
    parameters: ['IfMatch'],
    success: { status: 204, description: 'Done. The body is empty.' },
  },
  ...listsOf('Group', 'groups'),
  'ServiceProviderConfig/Get': discovery(
    'ServiceProviderConfig',
    'Get the configuration',
    'What the service supports.',
  ),
  'ResourceTypes/List': discovery('ResourceTypeList', 'List resource types', 'The resource types.'),
  'ResourceTypes/Get': discovery('ResourceType', 'Get a resource type', 'A resource type, by its name.'),
  'Schemas/List': discovery('SchemaList', 'List schemas', 'The schemas of all resources.'),
  'Schemas/Get': discovery('Schema', 'Get a schema', 'A schema, by its URN.'),
}

/** The tags of the operations, by the first part of their names. */
export const scimTags: Readonly<Record<string, string>> = {
  Users: 'The members of the organization.',
  Groups: 'Groups of members.',
  ServiceProviderConfig: 'What the service supports.',
  ResourceTypes: 'Resource types.',
  Schemas: 'Schemas of the resources.',
}
