import type { DescEnum } from '@bufbuild/protobuf'

/** Words of values that do not follow from their names. */
const ownValues: Readonly<Record<string, string>> = {
  USER_ROLE_ORG_ADMIN: 'Administrator',
  USER_ROLE_ORG_MEMBER: 'Member',
  USER_ROLE_ORG_GUEST: 'Guest',
  USER_PROFILE_FIELD_AVATAR_URL: 'Picture',
  USER_PROFILE_FIELD_PRIMARY_PHONE: 'Phone',
  USER_PROFILE_FIELD_TIMEZONE: 'Time zone',
  USER_PROFILE_FIELD_LOCALE: 'Language',
  JOURNEY_TASK_STATUS_TODO: 'To do',
  A2A_AGENT_SECURITY_SCHEME_KIND_OAUTH2: 'OAuth 2',
  A2A_AGENT_SECURITY_SCHEME_KIND_OPEN_ID_CONNECT: 'OpenID Connect',
  ACTOR_KIND_USER: 'Person',
  FIELD_OWNER_UNSPECIFIED: 'Nobody',
  API_KEY_KIND_PK: 'Program',
  API_KEY_KIND_WK: 'Worker',
  API_KEY_KIND_MK: 'Directory',
  WEBHOOK_DELIVERY_STATUS_PENDING: 'Waiting',
  WEBHOOK_DELIVERY_STATUS_SUCCEEDED: 'Accepted',
  WEBHOOK_MODE_UNORDERED: 'Each as soon as possible',
  WEBHOOK_MODE_BY_TARGET: 'In order for each object',
  WEBHOOK_DISABLED_REASON_REQUEST: 'Somebody disabled it',
  WEBHOOK_DISABLED_REASON_FAILURES: 'Every attempt failed for five days',
  WEBHOOK_DISABLED_REASON_GONE: 'The receiver answered 410',
  WEBHOOK_DISABLED_REASON_RIGHT_ENDED: 'Its maker may no longer read the events',
  FIELD_WRITE_OUTCOME_SKIPPED_PINNED: 'Skipped: pinned',
  FIELD_WRITE_OUTCOME_SKIPPED_DIRECTORY_LOCKED: 'Skipped: from the directory',
}

/** The words for a value of an enum: `USER_ROLE_ORG_ADMIN` is `Org admin`. Empty for the zero value. */
export function enumText(schema: DescEnum, value: number): string {
  const name = schema.value[value]?.name ?? ''
  const prefix = (schema.sharedPrefix ?? '').toUpperCase()
  const own = ownValues[name]
  if (own !== undefined) return own
  const word = name.startsWith(prefix) ? name.slice(prefix.length) : name
  return word === 'UNSPECIFIED' ? '' : sentence(word.toLowerCase().replaceAll('_', ' '))
}

export type Options = readonly { readonly value: string; readonly text: string }[]

/** Choices in words, after one for none of them. */
export function optionsOf(none: string, words: Readonly<Record<string, string>>) {
  return [{ value: '', text: none }, ...Object.entries(words).map(([value, text]) => ({ value, text }))]
}

/** The values of an enum as choices, after one for none of them. */
export function enumOptions(schema: DescEnum, none: string) {
  const given = schema.values.filter(({ number }) => number !== 0)
  return optionsOf(none, Object.fromEntries(given.map(({ number }) => [number, enumText(schema, number)])))
}

/** Labels that do not follow from the names of the fields. */
const ownLabels: Readonly<Record<string, string>> = {
  externalId: 'External ID',
  externalServiceInstanceId: 'External ID',
  scopedId: 'Short name',
  id: 'ID',
  directoryManaged: 'From the directory',
  memberCount: 'People',
  accessRequestsEnabled: 'Can be requested',
  customServiceName: 'Service',
  isAiSelectable: 'AI may choose it',
  types: 'Events',
  mode: 'Order',
  status: 'State',
  appInstanceId: 'App',
  resourceType: 'Type',
  workflowName: 'Workflow',
  workflowId: 'Workflow',
  isWorkflowPublished: 'Workflow is published',
  hasIngestionContext: 'Brings in only what has changed',
  syncDeletions: 'Deletes what is deleted there',
  serviceName: 'Name',
  internalEntityTypeId: 'Entity type',
  customServiceId: 'Service ID',
  syncIntervalSeconds: 'How often',
  disabledReason: 'Why disabled',
  op: 'Comparison',
  logicOp: 'Joined by',
  primaryPhone: 'Phone',
  lifetimeSeconds: 'Ends after',
  locale: 'Language',
  timezone: 'Time zone',
  avatarUrl: 'Picture (URL)',
  expiresAt: 'Ends',
  openIdConnectUrl: 'OpenID Connect URL',
  oauth2MetadataUrl: 'OAuth 2 metadata URL',
  dependsOnIds: 'Depends on',
  updatedAt: 'Last changed',
  routeDirectFromWorker: 'Let workers route to it directly',
  internalFieldId: 'Field',
  externalFieldPath: 'From',
  targetDurationSeconds: 'Within',
  conditions: 'Clock',
  attachmentCriteria: 'Applies to tickets where',
  actionDefinitions: 'Workflows',
  policyGroup: 'Set of SLAs',
  firstReplyBy: 'First reply',
  a2aAgentCard: 'Agent card',
  inputModes: 'Takes',
  outputModes: 'Returns',
}

/** What is said below the field of a form, where its label is not enough. */
export const hints: Readonly<Record<string, string>> = {
  email: 'People sign in with it: the issuer must name it.',
  scopedId: 'Unique in the team. Leave empty to have one made.',
  serviceName: 'What people call the service that the entities come from.',
  customServiceId: 'By what workflows know the service. It comes with one that other apps have.',
  policyGroup: 'At most one SLA of a set applies to a ticket.',
  externalServiceInstanceId: 'The ID of the app in its service, such as the tenant there.',
  priority: 'Its level, such as P1.',
}

/** The label of a field: `defaultAccessPolicyId` is `Default access policy`. */
export function labelOf(field: string): string {
  const own = ownLabels[field]
  if (own !== undefined) return own
  const words = field
    .replace(/(?:Seconds|At)$/, '')
    .replace(/Ids?$/, (end) => (end === 'Ids' ? 's' : ''))
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return sentence(words) || 'ID'
}

/** The words in an id that is one, as those of workflows, schedules and fields often are; another one as it is. */
export function spokenId(id: string): string {
  const [, words] = /^(?:workflow|schedule|field|service|tag|integration)[_-]([a-z][a-z_-]*)$/.exec(id) ?? []
  return words === undefined ? id : sentence(words.replace(/[_-]/g, ' '))
}

/** Things of the audit log that people call otherwise. */
const spoken: Readonly<Record<string, string>> = {
  api_key: 'API key',
  user: 'person',
  user_relationship: 'manager',
  sla_definition: 'SLA',
  app_instance: 'app',
  app_resource: 'resource',
  access_policy: 'policy',
  access_policy_approval_procedure: 'procedure',
  approval_procedure: 'procedure',
  entity_ingestion_config: 'ingestion config',
  entity_field_mapping: 'field mapping',
  team_member: 'role in a team',
  webhook_endpoint: 'webhook',
}

/** What is said of verbs that have no regular past, or are none. */
const pastOf: Readonly<Record<string, string>> = {
  set: 'set',
  resend: 'sent again',
  unarchive: 'put back in use',
  rotate_secret: 'given another secret',
  end_sessions: 'signed out everywhere',
  'team_member.set': 'given',
  'user_relationship.create': 'assigned',
  'user_relationship.delete': 'removed',
  directory_sync: 'updated by the directory',
  update_email: 'given another email',
  update_role: 'given another role',
}

/** What people call a kind of thing of the audit log, such as `app_instance`. */
export function thingText(type: string): string {
  return spoken[type] ?? type.replaceAll('_', ' ')
}

/** The words for an action of the audit log: `api_key.revoke` is `API key revoked`. */
export function actionText(action: string): string {
  const [thing = '', verb = ''] = action.split('.')
  const done = verb
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
  const [first = '', ...rest] = done.split(' ')
  const past = pastOf[action] ?? pastOf[verb] ?? [`${first}${first.endsWith('e') ? 'd' : 'ed'}`, ...rest].join(' ')
  return sentence(`${thingText(thing)} ${past}`)
}

/** A number as people write it. The first use of `Intl` takes longer than a small list, which needs none of it. */
export function numberText(number: number | bigint): string {
  return Math.abs(Number(number)) < 1_000 ? String(number) : number.toLocaleString('en-GB')
}

/** So many of something: `1 event`, `2,000 events`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`
}

/** A word with its article: `an app instance`. */
export function oneOf(word: string): string {
  return `${/^(?:[aeio]|A2A|API|SLA)/.test(word) ? 'an' : 'a'} ${word}`
}

/** The units of lengths of time, with their seconds. */
export const durationUnits = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** The largest unit that divides a number of seconds. */
export function largestUnit(seconds: number): (typeof durationUnits)[number] {
  return durationUnits.find(([, each]) => seconds % each === 0 && Math.abs(seconds) >= each) ?? ['second', 1]
}

/** Seconds in the largest unit that divides them. */
export function durationText(seconds: number): string {
  const [word, size] = largestUnit(seconds)
  return countText(seconds / size, word)
}

/** The name of a field as messages have it: `external_id` is `externalId`. */
export function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** What the service says, as a sentence; its addresses and names stay as they are. */
export function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
}

/** Words of the schema as the beginning of a sentence. */
export function sentence(text: string): string {
  const spelled = text.replace(/\b(?:a2a|ai|api|http|ip|sla|tls|url)\b/g, (word) => word.toUpperCase())
  return spelled.charAt(0).toUpperCase() + spelled.slice(1)
}
