/** How many records of each kind a generated file has. */
const shares = [
  ['user', 20],
  ['group', 2],
  ['accessPolicy', 3],
  ['approvalProcedure', 5],
  ['appInstance', 5],
  ['appResource', 25],
  ['priority', 5],
  ['journey', 20],
  ['entityType', 2],
  ['entityIngestionConfig', 3],
  ['entityFieldMapping', 7],
  ['slaDefinition', 3],
] as const

type Kind = (typeof shares)[number][0]

const TEAMS = 10

/** Lines of `count` different records of every kind, those that refer to others mixed among them. */
export function* generatedRecords(count: number): Generator<string> {
  yield line('organization', { id: 'org_big', name: 'Big' })
  for (let team = 0; team < TEAMS; team++) {
    yield line('team', { id: `team_${team}`, organizationId: 'org_big', name: `Team ${team}` })
  }
  const next = new Map<Kind, number>()
  const rounds = shares.flatMap(([kind, share]) => Array.from({ length: share }, () => kind))
  for (let index = 1 + TEAMS; index < count; index++) {
    // A stride that has no common factor with 100 mixes the kinds.
    const kind = rounds[(index * 37) % rounds.length] ?? 'user'
    const number = next.get(kind) ?? 0
    next.set(kind, number + 1)
    yield line(kind, makers[kind](number))
  }
}

function line(kind: string, record: unknown): string {
  return `${JSON.stringify({ [kind]: record })}\n`
}

const team = (number: number) => `team_${number % TEAMS}`
const uuid = (number: number, part: number) =>
  `${String(number).padStart(8, '0')}-0000-7000-8000-${String(part).padStart(12, '0')}`

const makers: Readonly<Record<Kind, (number: number) => object>> = {
  user: (number) => ({
    id: `user_${number}`,
    organizationId: 'org_big',
    email: `person.${number}@big.example`,
    firstName: 'Person',
    lastName: `Number ${number}`,
    role: 'USER_ROLE_ORG_MEMBER',
    timezone: number % 2 === 0 ? 'Europe/Paris' : 'America/New_York',
    locale: 'en-GB',
    department: `Department ${number % 25}`,
    jobTitle: 'Engineer',
    primaryPhone: `+1415${String(2_000_000 + number)}`,
    managerUserId: number === 0 ? '' : `user_${Math.floor(number / 8)}`,
    createdAt: '2026-01-31T09:05:00Z',
    fieldOwnership: [
      { field: 'USER_PROFILE_FIELD_DEPARTMENT', owner: 'FIELD_OWNER_PINNED', since: '2026-02-01T00:00:00Z' },
    ],
    teamRoles: [{ teamId: team(number), role: 'TEAM_USER_ROLE_AGENT', expiresAt: '2126-02-01T00:00:00Z' }],
  }),
  group: (number) => ({
    id: `group_${number}`,
    organizationId: 'org_big',
    name: `Group ${number}`,
    userIds: Array.from({ length: 5 }, (_, index) => `user_${number * 5 + index}`),
  }),
  accessPolicy: (number) => ({ id: `policy_${number}`, teamId: team(number), name: `Policy ${number}` }),
  approvalProcedure: (number) => ({
    id: `procedure_${number}`,
    accessPolicyId: `policy_${Math.floor(number / 2)}`,
    stages: [
      { steps: [{ approvers: [{ user: { userId: `user_${number}` }, notify: true }, { appOwner: {} }] }] },
      { steps: [{ customWorkflow: { workflowId: 'workflow_check' } }] },
    ],
  }),
  appInstance: (number) => ({
    id: `app_${number}`,
    teamId: team(number),
    name: `App ${number}`,
    tagIds: ['tag_a', 'tag_b'],
    sharedWithTeamIds: [team(number + 1)],
    defaultAccessPolicyId: `policy_${Math.floor(number / 2)}`,
  }),
  appResource: (number) => ({
    id: `resource_${number}`,
    appInstanceId: `app_${Math.floor(number / 6)}`,
    resourceType: 'group',
    name: `Resource ${number}`,
    description: 'A group of people in the app.',
    externalId: `external-${number}`,
    tagIds: ['tag_a'],
  }),
  priority: (number) => ({
    id: `priority_${number}`,
    teamId: team(number),
    priority: 'P2',
    name: `Priority ${number}`,
  }),
  journey: (number) => ({
    id: uuid(number, 0),
    teamId: team(number),
    friendlyIdentifier: `ONB-${number}`,
    name: 'Welcome',
    createdAt: '2026-01-31T09:05:00Z',
    requesterUserId: `user_${number % 1000}`,
    tasks: Array.from({ length: 5 }, (_, index) => ({
      id: uuid(number, index + 1),
      name: `Task ${index}`,
      description: 'What is to be done.',
      assignedToUserId: `user_${index}`,
      status: index < 2 ? 'JOURNEY_TASK_STATUS_DONE' : 'JOURNEY_TASK_STATUS_TODO',
      dependsOnIds: index === 0 ? [] : [uuid(number, index)],
      dueDate: { year: 2026, month: 2, day: 28 },
    })),
    healthChecks: [
      {
        id: 'check_1',
        taskId: uuid(number, 1),
        type: 'JOURNEY_HEALTH_CHECK_TYPE_STATUS_CHECK',
        status: 'JOURNEY_HEALTH_CHECK_STATUS_PASSING',
      },
    ],
    customFields: [
      { fieldId: 'field_1', fieldKey: 'cost', fieldName: 'Cost', dataType: 'DATA_TYPE_NUMBER', value: number },
    ],
  }),
  entityType: (number) => ({ id: `type_${number}`, teamId: team(number), name: `Type ${number}` }),
  entityIngestionConfig: (number) => ({
    id: `config_${number}`,
    appInstanceId: `app_${number}`,
    teamId: team(number),
    internalEntityTypeId: `type_${Math.floor(number / 2)}`,
    enabled: true,
    createdAt: '2026-01-31T09:05:00Z',
    syncIntervalSeconds: 3600,
  }),
  entityFieldMapping: (number) => ({
    id: `mapping_${number}`,
    ingestionConfigId: `config_${Math.floor(number / 3)}`,
    entityTypeId: `type_${Math.floor(number / 6)}`,
    internalFieldId: 'field_name',
    externalFieldPath: 'profile.name',
    priority: number % 10,
    createdAt: '2026-01-31T09:05:00Z',
  }),
  slaDefinition: (number) => ({
    id: `sla_${number}`,
    teamId: team(number),
    name: `SLA ${number}`,
    targetDurationSeconds: 3600,
    conditions: [
      {
        id: 'condition_1',
        conditionType: 'SLA_CONDITION_TYPE_PAUSE',
        conditionRule: { type: 'field', field: 'status', op: 'eq', value: 'waiting' },
      },
    ],
    actionDefinitions: [
      { id: 'action_1', workflowId: 'workflow_warn', offsetSeconds: -600, createdAt: '2026-01-31T09:05:00Z' },
    ],
    createdAt: '2026-01-31T09:05:00Z',
  }),
}
