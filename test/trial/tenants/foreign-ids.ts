import { type DescField, type DescMessage, type DescMethod, getOption } from '@bufbuild/protobuf'
import { field as fieldRules } from '../../../gen/buf/validate/validate_pb.js'
import { ImportRecordSchema } from '../../../gen/svc/v2/import_record_pb.js'
import { services } from '../../../src/handlers/routes.js'
import { fixture } from '../../support/fixture.js'
import { standardSamples } from '../../support/standard-resources.js'
import { writeCalls } from '../../support/write-calls.js'

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

const { it, people, globexIt, users, groups, accessPolicies, appInstances, appResources, priorities } = fixture

/** Keys of another organization and of another team. */
export const foreignKeys = { it: 'managed-1', people: 'key-people', globex: 'key-globex' }

/** Objects of the fixture, one of each place that has some. */
interface Ids {
  readonly it: string
  readonly people?: string
  readonly globex: string
}

const teams: Ids = { it, people, globex: globexIt }
const persons: Ids = { it: users.agent, globex: users.globexAdmin }

/** What fields name, by their names. */
const named: Readonly<Record<string, Ids>> = {
  team_id: teams,
  user_id: persons,
  related_user_id: { ...persons, it: users.manager },
  manager_user_id: persons,
  requester_user_id: persons,
  created_by_user_id: persons,
  target_id: persons,
  actor_id: persons,
  group_id: groups,
  access_policy_id: accessPolicies,
  default_access_policy_id: accessPolicies,
  app_instance_id: appInstances,
  entity_type_id: fixture.entityTypes,
  internal_entity_type_id: fixture.entityTypes,
  ingestion_config_id: fixture.ingestionConfigs,
  webhook_endpoint_id: fixture.webhookEndpoints,
}

/** What `id` and `ids` name, by service. */
const ofServices: Readonly<Record<string, Ids>> = {
  ...Object.fromEntries(standardSamples.map((sample) => [`${sample.name}Service`, sample.fixture])),
  ApiKeyService: foreignKeys,
  GroupService: groups,
  JourneyService: fixture.journeys,
  TeamService: teams,
  UserIngestionService: persons,
  UserService: persons,
  WebhookEndpointService: fixture.webhookEndpoints,
}

/** Names of fields with ids that callers make up, or that name what is not stored here. */
const FREE =
  /^(?:external_\w+|internal_field_id|custom_service_id|tag_ids|integration_ids|scoped_id|schedule_id|workflow_id|request_id|client_id)$/

// A stream lasts a minute, and has the filters of a list.
const methods = services.flatMap((service) => service.methods.filter(({ methodKind }) => methodKind === 'unary'))

/** Every place at the top of a request, as the schema says, then those deeper in one, and special requests. */
export const foreignPlaces: readonly ForeignPlace[] = [
  ...methods.flatMap((method) =>
    method.input.fields.filter(isId).map((field) => {
      const request = (id: string) => ({ ...ownRequest(method), [field.jsonName]: jsonOf(field, id) })
      return place(`${method.name} ${field.name}`, idsOf(method, field), request)
    }),
  ),
  ...['CreateAccessPolicyApprovalProcedure', 'UpdateAccessPolicyApprovalProcedure'].flatMap((name) => {
    const own = {
      accessPolicyId: accessPolicies.it,
      ...(name.startsWith('U') && { id: fixture.approvalProcedures.it }),
    }
    const approvedBy = (approver: object) => ({ ...own, steps: [{ approvers: [approver] }] })
    return [
      place(`${name} Approver.User.user_id`, persons, (userId) => approvedBy({ user: { userId } })),
      place(`${name} Approver.Group.group_id`, groups, (groupId) => approvedBy({ group: { groupId } })),
    ]
  }),
  place('BatchUpdateAppResources AppResourceUpdate.id', appResources, (id) => ({ resources: [{ id, name: 'New' }] })),
  place('BatchUpdateAppResources AppResourceUpdate.app_instance_id', appInstances, (appInstanceId) => ({
    resources: [{ id: appResources.it, appInstanceId }],
  })),
  place('BatchUpdateAppResources AppResourceUpdate.id beside an own one', appResources, (id) => ({
    resources: [{ id: appResources.it, name: 'Renamed' }, { id }],
  })),
  place('BatchCreateAppResources CreateAppResourceRequest.app_instance_id', appInstances, (appInstanceId) => ({
    resources: [{ appInstanceId, resourceType: 'group', name: 'New' }],
  })),
  place('BatchUpdateUsers UserUpdate.id', persons, (id) => ({ users: [{ id, jobTitle: 'Agent' }] })),
  place('ListEntityIngestionConfigs app_instance_id of a team', appInstances, (appInstanceId) => ({
    teamId: it,
    appInstanceId,
  })),
  place('ListEntityIngestionConfigs app_instance_id of every team', appInstances, (appInstanceId) => ({
    teamId: '-',
    appInstanceId,
  })),
  place('ListUsers ids beside an own one', persons, (id) => ({ ids: [users.agent, id] })),
  place('UpdatePriority id, malformed name', priorities, (id) => ({ id, name: '' })),
  place('UpdateUser id, email', persons, (id) => ({ id, email: 'other@example.com' })),
  place('UpdateUser id, pins', persons, (id) => ({ id, pinFields: ['USER_PROFILE_FIELD_JOB_TITLE'] })),
  place('CreateUserRelationship both', persons, (id) => ({ userId: id, relatedUserId: id })),
  place('ListAuditEvents target_id of a priority', priorities, (targetId) => ({ targetId })),
]

/** Ids of requests, as `Method Message.field`, that no place is about. Records of an import have tests of their own. */
export function placesMissing(): string[] {
  const known = new Set(foreignPlaces.map(({ name }) => name))
  return methods
    .flatMap((method) =>
      messagesIn(method.input).flatMap((message) => {
        const path = message === method.input ? '' : `${message.typeName.replace('svc.v2.', '')}.`
        return message.fields.filter(isId).map((field) => `${method.name} ${path}${field.name}`)
      }),
    )
    .filter((name) => !known.has(name))
}

function messagesIn(input: DescMessage): DescMessage[] {
  const found = new Set([input])
  for (const { fields } of found) {
    for (const { message } of fields) if (message !== undefined && message !== ImportRecordSchema) found.add(message)
  }
  return [...found]
}

/** Whether a field names something that is stored. Parts of an object have ids that mean nothing outside of it. */
function isId({ name, parent, message }: DescField): boolean {
  if (message !== undefined || FREE.test(name)) return false
  const isPart = /^svc\.v2\.(?:Step|SlaCondition|SlaAction|A2aAgentCard\.Skill)$/.test(parent.typeName)
  return /(?:^|_)ids?$/.test(name) && !isPart
}

function idsOf({ parent }: DescMethod, { name }: DescField): Ids {
  const ids = /^ids?$/.test(name) ? ofServices[parent.name] : named[name]
  if (ids === undefined) throw new Error(`${parent.name} has a field ${name}: what does it name?`)
  return ids
}

/** A request about objects of the caller's own team. */
function ownRequest(method: DescMethod): RequestJson {
  const write = writeCalls.find(({ name }) => name === method.name)
  if (write !== undefined) return write.request(0)
  const required = method.input.fields.filter((field) => isId(field) && getOption(field, fieldRules).required)
  return Object.fromEntries(required.map((field) => [field.jsonName, jsonOf(field, idsOf(method, field).it)]))
}

function jsonOf({ fieldKind }: DescField, id: string): string | string[] {
  return fieldKind === 'list' ? [id] : id
}

function place(name: string, { people: otherTeam, globex }: Ids, request: ForeignPlace['request']): ForeignPlace {
  const [method = ''] = name.split(' ')
  return { name, method, request, otherOrganization: globex, ...(otherTeam !== undefined && { otherTeam }) }
}
