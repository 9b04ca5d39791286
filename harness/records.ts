/** The organization that the benchmarks work in, and its two teams. */
export const place = { organization: 'bench', team: 'bench-it', otherTeam: 'bench-people' } as const

/** How much of each kind there is. */
export interface DatasetSize {
  readonly appInstances: number
  readonly appResources: number
  readonly priorities: number
  readonly journeys: number
  readonly users: number
}

/** The data for the operations: a list of 10,000, batches of 500, journeys of full size. */
export const operationsSize: DatasetSize = {
  appInstances: 10_000,
  appResources: 4_000,
  priorities: 1_000,
  journeys: 200,
  users: 1_000,
}

/** 100,000 records of every kind, in roughly the proportions of a real organization. */
export const importSize: DatasetSize = {
  appInstances: 33_000,
  appResources: 40_000,
  priorities: 5_400,
  journeys: 1_000,
  users: 20_000,
}

/** The id of the nth journey. */
export function journeyId(index: number): string {
  return `0198a1c0-0000-7000-8000-${String(index).padStart(12, '0')}`
}

/** Import records as lines of JSON, in the order in which they refer to each other. */
export function* recordLines(size: DatasetSize): Generator<string> {
  for (const record of records(size)) yield `${JSON.stringify(record)}\n`
}

function* records(size: DatasetSize): Generator<Record<string, unknown>> {
  const { organization, team, otherTeam } = place
  yield { organization: { id: organization, name: 'Benchmarks' } }
  for (const id of [team, otherTeam]) yield { team: { id, organizationId: organization, name: id } }
  for (let index = 0; index < size.users; index++) yield { user: user(index) }
  for (let index = 0; index < 20; index++)
    yield { accessPolicy: { id: `policy-${index}`, teamId: team, name: `${index}` } }
  for (let index = 0; index < size.appInstances; index++) yield { appInstance: appInstance(index) }
  for (let index = 0; index < size.appResources; index++) {
    yield { appResource: appResource(index, Math.min(size.appInstances, 100)) }
  }
  for (let index = 0; index < size.priorities; index++) yield { priority: priority(index) }
  for (let index = 0; index < size.journeys; index++) yield { journey: journey(index) }
  yield { entityType: { id: 'type-0', teamId: team, name: 'Person' } }
  for (let index = 0; index < 50; index++) yield { entityIngestionConfig: ingestionConfig(index) }
  for (let index = 0; index < 500; index++) yield { entityFieldMapping: fieldMapping(index) }
  for (let index = 0; index < 50; index++) yield { slaDefinition: slaDefinition(index) }
}

function user(index: number) {
  return {
    organizationId: place.organization,
    id: `user-${index}`,
    email: `user${index}@example.com`,
    firstName: 'Person',
    lastName: `Number ${index}`,
    department: `Department ${index % 40}`,
    locale: 'en-US',
    role: index === 0 ? 'USER_ROLE_ORG_ADMIN' : 'USER_ROLE_ORG_MEMBER',
    timezone: 'Europe/Berlin',
    teamRoles: index % 5 === 0 ? [{ teamId: place.team, role: 'TEAM_USER_ROLE_AGENT' }] : [],
  }
}

function appInstance(index: number) {
  return {
    id: `app-${index}`,
    teamId: index % 20 === 0 ? place.otherTeam : place.team,
    customServiceId: `service-${index % 300}`,
    customServiceName: `Service ${index % 300}`,
    externalServiceInstanceId: `external-${index}`,
    name: `Application number ${index}`,
    accessRequestsEnabled: index % 3 === 0,
    defaultAccessPolicyId: index % 20 === 0 ? '' : `policy-${index % 20}`,
    tagIds: [`tag-${index % 7}`, `tag-${index % 11}`],
    integrationIds: [`integration-${index % 5}`],
    ...(index % 20 === 0 && { sharedWithTeamIds: [place.team] }),
    ...(index % 25 === 0 && { a2aAgentCard: agentCard(index) }),
    routeDirectFromWorker: index % 2 === 0,
  }
}

function agentCard(index: number) {
  const lists = { tags: ['help'], examples: ['Reset my password'], inputModes: ['text'], outputModes: ['text', 'json'] }
  return {
    name: `Agent ${index}`,
    description: 'Answers questions',
    url: 'https://agent.example.com',
    version: '1.2.0',
    skills: [{ id: 'skill-1', name: 'Reset', description: 'Resets passwords', ...lists }],
    workflowId: `workflow-${index}`,
    lastSyncedAt: '2026-01-31T09:05:00.000Z',
    securitySchemes: [{ name: 'key', kind: 'A2A_AGENT_SECURITY_SCHEME_KIND_API_KEY', scopes: ['read'] }],
  }
}

function appResource(index: number, instances: number) {
  // The instances of the first team; every twentieth belongs to the other.
  const instance = index % instances
  return {
    id: `resource-${index}`,
    appInstanceId: `app-${instance}`,
    resourceType: 'group',
    name: `Resource ${index}`,
    description: 'A group of people',
    externalId: `external-${index}`,
    tagIds: ['tag-1'],
    scopedId: `ares_${index}`,
  }
}

function priority(index: number) {
  return {
    id: `priority-${index}`,
    teamId: place.team,
    priority: `P${index % 5}`,
    description: 'How urgent it is',
    scopedId: `pri_${index}`,
    name: `Priority ${index}`,
    isAiSelectable: index % 2 === 0,
  }
}

function journey(index: number) {
  const start = { year: 2026, month: 2, day: 2 }
  const taskId = (task: number) =>
    `0198a1c1-${String(task).padStart(4, '0')}-7000-8000-${String(index).padStart(12, '0')}`
  return {
    id: journeyId(index),
    teamId: place.team,
    friendlyIdentifier: `ONB-${index}`,
    name: `Onboarding ${index}`,
    description: 'The first weeks',
    createdAt: '2026-01-05T09:00:00.000Z',
    requesterUserId: 'user-1',
    requesterManagerUserId: 'user-0',
    dueDate: { year: 2026, month: 3, day: 31 },
    metadata: { onboarding: { startDate: start, welcomeMessage: 'Glad that you are here' }, welcomeTitle: 'Welcome' },
    createdByWorkflow: { id: 'workflow-1', name: 'Onboarding' },
    tasks: Array.from({ length: 20 }, (_, task) => journeyTask(task, taskId)),
    healthChecks: Array.from({ length: 10 }, (_, check) => healthCheck(check, taskId)),
    workflowFailures: Array.from({ length: 3 }, (_, failure) => workflowFailure(failure, taskId)),
    customFields: Array.from({ length: 5 }, (_, field) => ({
      fieldId: `field-${field}`,
      fieldKey: `key_${field}`,
      fieldName: `Field ${field}`,
      dataType: 'DATA_TYPE_NUMBER',
      value: field * 1.5,
    })),
  }
}

const taskStatuses = ['DONE', 'IN_PROGRESS', 'TODO', 'CANCELED']
const checkStatuses = ['FAILING', 'WARNING', 'PASSING', 'RUNNING', 'NO_DATA', 'CANCELED']

function journeyTask(task: number, idOf: (task: number) => string) {
  return {
    id: idOf(task),
    name: `Task ${task}`,
    description: 'What is to be done',
    assignedToUserId: 'user-2',
    status: `JOURNEY_TASK_STATUS_${taskStatuses[task % 4]}`,
    dueDate: { year: 2026, month: 1, day: task + 1 },
    ...(task > 0 && { dependsOnIds: [idOf(task - 1)] }),
    isStatusCheck: task % 5 === 0,
    pollingIntervalMs: task % 5 === 0 ? 60_000 : 0,
    ...(task % 2 === 0 && {
      latestWorkflowCall: {
        id: `call-${task}`,
        workflowId: 'workflow-1',
        workflowName: 'Provision',
        runId: `run-${task}`,
        runStatus: 'WORKFLOW_RUN_STATUS_COMPLETED',
        createdAt: '2026-01-05T10:00:00.000Z',
        statusUpdatedAt: '2026-01-05T10:01:00.000Z',
        formConfirmationRequired: task % 4 === 0,
      },
    }),
  }
}

function healthCheck(check: number, idOf: (task: number) => string) {
  return {
    id: `check-${check}`,
    taskId: idOf(check),
    workflowId: 'workflow-2',
    workflowName: 'Check',
    workflowCallId: `call-${check}`,
    runId: `run-${check}`,
    type: 'JOURNEY_HEALTH_CHECK_TYPE_STATUS_CHECK',
    status: `JOURNEY_HEALTH_CHECK_STATUS_${checkStatuses[check % 6]}`,
    dueDate: { year: 2026, month: 2, day: 1 },
  }
}

function workflowFailure(failure: number, idOf: (task: number) => string) {
  return {
    workflowCallId: `call-${failure}`,
    runId: `run-${failure}`,
    workflowId: 'workflow-3',
    workflowName: 'Badge',
    taskId: idOf(failure),
    runStatus: 'WORKFLOW_RUN_STATUS_FAILED',
    runResult: 'refused',
    validationErrors: {
      displayMessage: 'The badge is taken',
      fieldErrors: { badge: 'is taken' },
      translations: { de: 'x' },
    },
    statusCheckResult: { isComplete: false, message: 'Not yet', messageTranslations: { de: 'Noch nicht' } },
    runCompletedAt: '2026-01-06T09:00:00.000Z',
  }
}

function ingestionConfig(index: number) {
  return {
    id: `config-${index}`,
    appInstanceId: 'app-1',
    workflowId: 'workflow-4',
    teamId: place.team,
    enabled: true,
    internalEntityTypeId: 'type-0',
    serviceName: 'HR',
    workflowName: 'Sync',
    syncIntervalSeconds: 3600,
    createdAt: '2026-01-05T09:00:00.000Z',
    updatedAt: '2026-01-05T09:00:00.000Z',
  }
}

function fieldMapping(index: number) {
  return {
    id: `mapping-${index}`,
    ingestionConfigId: `config-${index % 50}`,
    internalFieldId: `field-${index}`,
    externalFieldPath: `a.b.c${index}`,
    priority: index % 10,
    entityTypeId: 'type-0',
    createdAt: '2026-01-05T09:00:00.000Z',
    updatedAt: '2026-01-05T09:00:00.000Z',
  }
}

function slaDefinition(index: number) {
  return {
    id: `sla-${index}`,
    teamId: place.team,
    name: `SLA ${index}`,
    description: 'Answer soon',
    targetDurationSeconds: 3600,
    startingPoint: 'SLA_STARTING_POINT_TICKET_CREATED',
    metric: 'SLA_METRIC_RESOLUTION',
    createdAt: '2026-01-05T09:00:00.000Z',
    updatedAt: '2026-01-05T09:00:00.000Z',
  }
}
