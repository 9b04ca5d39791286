import { expect } from 'expect'
import { fixture } from './fixture.js'
import { formsOf, type MethodForms, type RequestJson } from './method-forms.js'

const standardVerbs = ['Get', 'List', 'Create', 'Update', 'Delete'] as const

/** The standard methods, by verb. */
export type StandardVerb = (typeof standardVerbs)[number]

/** Where objects of the fixture are. */
type Place = 'it' | 'people' | 'globex'

/** Names of a resource that usually follow from another. */
type Named = 'plural' | 'path' | 'auditedAs' | 'fixture'

/** A resource with standard methods, and requests that they take from a caller of the team `it`. */
export interface StandardSample {
  /** Its name in methods, singular and plural. */
  readonly name: string
  readonly plural: string
  readonly path: string
  /** Default: all. */
  readonly verbs?: readonly StandardVerb[]
  /** Its permissions are, for example, `entities:read` and `entities:write`. */
  readonly permissions: 'access' | 'apps' | 'entities' | 'tickets' | 'webhooks'
  /** Whether only users may write. */
  readonly writtenByUsersOnly?: true
  /** What its objects belong to, if not to teams: the field that names it, and objects of the fixture. */
  readonly parent?: { readonly field: string; readonly fixture: Readonly<Record<Place, string>> }
  readonly create: (n: number) => RequestJson
  /** What the server adds to a new object besides its id. */
  readonly added?: RequestJson
  /** Default: another name. Absent if there is no standard update. */
  readonly change?: (n: number) => RequestJson
  /** The update that changes nothing about an object; default: one without fields. */
  readonly keep?: (data: RequestJson) => RequestJson
  /** Whether an update replaces the object (PUT). */
  readonly isReplaced?: true
  /** What the server changes besides. */
  readonly touched?: RequestJson
  /** Objects of the fixture, and the names of what refers to them, if anything can. */
  readonly fixture: Readonly<Record<Place, string>>
  readonly referrers?: string
  /** The name that the audit log has for it. */
  readonly auditedAs: string
}

/** What differs between them, by name; other names follow from it. */
const samples: Readonly<Record<string, Omit<StandardSample, 'name' | Named> & Partial<Pick<StandardSample, Named>>>> = {
  EntityType: {
    permissions: 'entities',
    create: (n) => ({ teamId: fixture.it, name: `Type ${n}` }),
    referrers: 'ingestionConfigs,fieldMappings',
  },
  EntityIngestionConfig: {
    verbs: ['Get', 'Create', 'Update', 'Delete'],
    permissions: 'entities',
    create: (n) => ({
      teamId: fixture.it,
      appInstanceId: fixture.appInstances.it,
      internalEntityTypeId: fixture.entityTypes.it,
      workflowId: `workflow-${n}`,
      workflowName: 'Read devices',
      serviceName: 'Remote Access',
      enabled: true,
      isWorkflowPublished: true,
      hasIngestionContext: true,
      syncDeletions: true,
      syncIntervalSeconds: 60 * n,
    }),
    added: { createdAt: expect.any(String), updatedAt: expect.any(String) },
    change: (n) => ({ appInstanceId: fixture.appInstances.itSecond, workflowName: `Renamed ${n}`, enabled: false }),
    touched: { updatedAt: expect.any(String) },
    fixture: fixture.ingestionConfigs,
    referrers: 'fieldMappings',
  },
  EntityFieldMapping: {
    verbs: ['Get', 'Create', 'Update', 'Delete'],
    permissions: 'entities',
    parent: { field: 'entityTypeId', fixture: fixture.entityTypes },
    create: (n) => ({
      entityTypeId: fixture.entityTypes.it,
      ingestionConfigId: fixture.ingestionConfigs.it,
      internalFieldId: `field-${n}`,
      externalFieldPath: 'profile.name',
      priority: -n,
    }),
    added: { createdAt: expect.any(String), updatedAt: expect.any(String) },
    change: (n) => ({ internalFieldId: `renamed-${n}`, priority: n }),
    touched: { updatedAt: expect.any(String) },
    fixture: fixture.fieldMappings,
  },
  AccessPolicy: {
    plural: 'AccessPolicies',
    permissions: 'access',
    create: (n) => ({ teamId: fixture.it, name: `Policy ${n}` }),
    referrers: 'approvalProcedures',
  },
  AppInstance: {
    verbs: ['Get', 'Create', 'Update', 'Delete'],
    permissions: 'apps',
    create: (n) => ({
      teamId: fixture.it,
      name: `App ${n}`,
      customServiceId: 'service-1',
      customServiceName: 'Chat',
      externalServiceInstanceId: `T0${n}`,
      accessRequestsEnabled: true,
      defaultAccessPolicyId: fixture.accessPolicies.it,
      tagIds: ['tag-1'],
      integrationIds: ['integration-1', 'integration-2'],
      a2aAgentCard: agentCard(n),
      routeDirectFromWorker: true,
    }),
    change: (n) => ({ name: `Renamed ${n}`, accessRequestsEnabled: false, tagIds: ['tag-2', 'tag-3'] }),
    referrers: 'resources,entityIngestionConfigs',
  },
  WebhookEndpoint: {
    permissions: 'webhooks',
    create: (n) => ({
      teamId: fixture.it,
      url: `https://hooks.invalid/${n}`,
      description: 'For the tests',
      // What tests seldom do: nobody listens there.
      types: ['user_token.revoke'],
      mode: 'WEBHOOK_MODE_BY_TARGET',
    }),
    added: { status: 'WEBHOOK_ENDPOINT_STATUS_ENABLED', publicKey: '', createdAt: expect.any(String) },
    change: (n) => ({ url: `https://hooks.invalid/renamed/${n}`, types: ['access_token.revoke', 'user_token.revoke'] }),
    fixture: fixture.webhookEndpoints,
  },
  AccessPolicyApprovalProcedure: {
    path: '/v2/access-policies/{access_policy_id}/approval-procedures',
    permissions: 'access',
    parent: { field: 'accessPolicyId', fixture: fixture.accessPolicies },
    create: (n) => ({
      accessPolicyId: fixture.accessPolicies.it,
      timeoutSeconds: 300 + n,
      stages: [{ steps: [{ customWorkflow: { workflowId: `review-${n}` } }] }],
    }),
    added: { steps: expect.any(Array), stages: expect.any(Array) },
    change: (n) => ({ timeoutSeconds: 900 + n, stages: [{ steps: [{ approvers: [{ manager: {} }] }] }] }),
    touched: { steps: expect.any(Array), stages: expect.any(Array) },
    keep: ({ timeoutSeconds, stages }) => ({ timeoutSeconds, stages }),
    isReplaced: true,
    fixture: fixture.approvalProcedures,
    auditedAs: 'approval_procedure',
  },
  AppResource: {
    verbs: ['Get', 'List', 'Create', 'Delete'],
    permissions: 'apps',
    parent: { field: 'appInstanceId', fixture: fixture.appInstances },
    create: (n) => ({
      appInstanceId: fixture.appInstances.it,
      resourceType: 'group',
      name: `Group ${n}`,
      description: 'Those on call',
      externalId: '',
      tagIds: ['tag-1'],
    }),
    added: { scopedId: expect.stringMatching(/^ares_[0-9a-z]{16}$/) },
  },
  Priority: {
    plural: 'Priorities',
    permissions: 'tickets',
    writtenByUsersOnly: true,
    create: (n) => ({
      teamId: fixture.it,
      priority: `P${n}`,
      name: `Level ${n}`,
      description: 'When it can wait',
      isAiSelectable: true,
    }),
    added: { scopedId: expect.stringMatching(/^pri_[0-9a-z]{16}$/) },
    change: (n) => ({ name: `Priority ${n} “é”` }),
  },
  SlaDefinition: {
    verbs: ['Get', 'Create', 'Update'],
    permissions: 'tickets',
    create: (n) => ({
      teamId: fixture.it,
      name: `Promise ${n}`,
      description: 'Somebody answers',
      scheduleId: 'office',
      policyGroup: 'response',
      targetDurationSeconds: 60 * n,
      useCalendarTime: false,
      useAssignedGroupSchedule: true,
      conditions: [],
      attachmentCriteria: [],
      actionDefinitions: [],
      startingPoint: 'SLA_STARTING_POINT_TICKET_CREATED',
      metric: 'SLA_METRIC_RESOLUTION',
    }),
    added: { createdAt: expect.any(String), updatedAt: expect.any(String) },
    change: (n) => ({ name: `Renamed ${n}`, targetDurationSeconds: 90 * n }),
    touched: { updatedAt: expect.any(String) },
  },
}

const objects: Readonly<Record<string, unknown>> = fixture

/** Every resource with standard methods: what tests of all of them need to know. */
export const standardSamples: readonly StandardSample[] = Object.entries(samples).map(([name, sample]) => {
  const { plural = `${name}s`, verbs = standardVerbs } = sample
  const names = { name, plural, path: `/v2/${inWords(plural, '-')}`, auditedAs: inWords(name, '_') }
  const change = verbs.includes('Update') ? { change: (n: number) => ({ name: `Renamed ${n}` }) } : {}
  const ofFixture = objects[plural.replace(/^./, (first) => first.toLowerCase())] as StandardSample['fixture']
  return { ...names, ...change, fixture: ofFixture, ...sample }
})

/** A name in camel case as lower-case words. */
function inWords(name: string, between: string): string {
  return name.replace(/(?<=.)(?=[A-Z])/g, between).toLowerCase()
}

/** A card of an agent with every field, as it is printed. */
function agentCard(n: number): RequestJson {
  return {
    name: `Agent ${n}`,
    description: 'Answers questions',
    url: 'https://agents.example.com/a2a',
    version: '1.2.0',
    skills: [
      {
        id: 'answer',
        name: 'Answer',
        description: 'Answers a question',
        tags: ['questions'],
        examples: ['Who is on call?'],
        inputModes: ['text/plain'],
        outputModes: ['text/plain', 'application/json'],
      },
    ],
    workflowId: 'workflow-1',
    lastSyncedAt: '2026-11-20T09:05:00.000Z',
    securitySchemes: [
      {
        name: 'oauth',
        kind: 'A2A_AGENT_SECURITY_SCHEME_KIND_OAUTH2',
        openIdConnectUrl: '',
        flow: 'clientCredentials',
        oauth2MetadataUrl: 'https://login.example.com/.well-known/oauth-authorization-server',
        scopes: ['agent'],
      },
    ],
  }
}

/** The table of a resource. */
export function tableOf({ path }: StandardSample): string {
  return path.replace(/.*\//, '').replaceAll('-', '_')
}

/** What objects belong to: the field that names it, and objects of the fixture. */
export function ownerOf({ parent }: StandardSample): NonNullable<StandardSample['parent']> {
  return parent ?? { field: 'teamId', fixture: { it: fixture.it, people: fixture.people, globex: fixture.globexIt } }
}

/** Whether all methods name the parent of an object. */
export function isNested({ path }: StandardSample): boolean {
  return path.includes('{')
}

/** The request for an object: of the fixture, or as if it had the parent of that in `it`. */
export function requestFor(sample: StandardSample, id: string): RequestJson & { readonly id: string } {
  if (!isNested(sample)) return { id }
  const { people, globex } = sample.fixture
  const place = id === people ? 'people' : id === globex ? 'globex' : 'it'
  const { field, fixture: parents } = ownerOf(sample)
  return { [field]: parents[place], id }
}

/** The column that names what objects belong to. */
export function ownerColumn(sample: StandardSample): string {
  return inWords(ownerOf(sample).field, '_')
}

/** The name of a standard method. */
function methodName({ name, plural }: StandardSample, verb: StandardVerb): string {
  return `${verb}${verb === 'List' ? plural : name}`
}

/** The standard methods of a resource: verb and name. */
export function methodsOf(sample: StandardSample): readonly (readonly [verb: StandardVerb, name: string])[] {
  return (sample.verbs ?? standardVerbs).map((verb) => [verb, methodName(sample, verb)])
}

const routeOf: Readonly<Record<StandardVerb, (path: string) => string>> = {
  Get: (path) => `get ${path}/{id}`,
  List: (path) => `get ${path}`,
  Create: (path) => `post ${path}`,
  Update: (path) => `patch ${path}/{id}`,
  Delete: (path) => `delete ${path}/{id}`,
}

/** The routes of all samples, by service and method. */
export const standardRoutes: Readonly<Record<string, string>> = Object.fromEntries(
  standardSamples.flatMap((sample) =>
    methodsOf(sample).map(([verb, name]) => {
      const route = routeOf[verb](sample.path)
      return [`${sample.name}Service.${name}`, sample.isReplaced ? route.replace('patch', 'put') : route]
    }),
  ),
)

/** A standard method as both protocols know it. */
export function standardMethod(sample: StandardSample, verb: StandardVerb): MethodForms {
  return formsOf(methodName(sample, verb))
}
