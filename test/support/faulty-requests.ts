/** What is changed about the example request of an operation, so that it is refused. */
export interface FaultyRequest {
  /** Instead of the examples, by parameter. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Instead of the body of the example: as JSON, or as form fields. */
  readonly json?: unknown
  readonly form?: string
}

const manager = { approvers: [{ manager: {} }] }
const unknownParameter = { parameters: { colour: 'red' } }
const nobody = { parameters: { id: 'user_nobody' } }
const noTeam = { parameters: { teamId: 'team_nowhere' } }

/**
 * Requests on the demo organization that rules of the operation refuse, by operation. What every operation refuses
 * (credentials, sizes, types) is not here.
 */
export const faultyRequests: Readonly<Record<string, readonly FaultyRequest[]>> = {
  createAccessPolicyApprovalProcedure: [
    { json: {} },
    { json: { steps: [manager], timeoutSeconds: 299 } },
    { json: { stages: [{ steps: [manager] }], steps: [manager, manager] } },
    { json: { steps: [{ approvers: [{ user: { userId: 'user_nobody' } }] }] } },
    { json: { steps: Array.from({ length: 51 }, () => manager) } },
    { parameters: { access_policy_id: 'policy_nothing' } },
  ],
  getAccessPolicy: [unknownParameter, { parameters: { id: 'policy_nothing' } }],
  listAccessPolicies: [{ parameters: { pageToken: 'changed' } }, { parameters: { pageSize: '-1' } }],
  createAccessPolicy: [{ json: { name: 'Contractors' } }, { json: { teamId: 'team_nowhere', name: 'Contractors' } }],
  updateAccessPolicy: [{ json: { name: '' } }, { parameters: { id: 'policy_nothing' } }],
  deleteAccessPolicy: [{ parameters: { id: 'policy_nothing' } }, { parameters: { id: 'policy_standard' } }],
  listAppInstances: [
    { parameters: { teamId: '' } },
    { parameters: { pageToken: 'changed' } },
    { parameters: { pageSize: '-1' } },
    noTeam,
  ],
  batchUpdateAppResources: [
    { json: { resources: [] } },
    { json: { resources: [{ name: 'gripper-firmware' }] } },
    { json: { resources: [{ id: 'resource_gripper' }, { id: 'resource_gripper' }] } },
    { json: { resources: [{ id: 'resource_nothing' }] } },
    { json: { resources: [{ id: 'resource_gripper', externalId: 'repo-1001' }] } },
    { json: { resources: [{ id: 'resource_gripper', scopedId: 'ares_arm_control' }] } },
  ],
  listAuditEvents: [{ parameters: { since: 'yesterday' } }, { parameters: { pageToken: 'changed' } }],
  revokeLeakedKey: [{ form: '' }, { form: 'secret=one&secret=two' }],
  createToken: [{ form: 'grant_type=password' }, { form: 'grant_type=client_credentials&client_id=a&client_id=b' }],
  listEntityFieldMappings: [{ parameters: { entityTypeId: '' } }, { parameters: { entityTypeId: 'type_nothing' } }],
  listEntityIngestionConfigs: [{ parameters: { teamId: '' } }, noTeam],
  getJourney: [{ parameters: { id: 'ONB-12' } }, { parameters: { id: '0198a1c0-7d00-7000-8000-00000000ffff' } }],
  getPriority: [unknownParameter, { parameters: { id: 'pri_nothing' } }],
  listPriorities: [{ parameters: { pageToken: 'changed' } }, { parameters: { pageSize: '-1' } }],
  createPriority: [
    { json: { name: 'Planned' } },
    { json: { teamId: 'team_nowhere', priority: 'P5', name: 'Planned' } },
    { json: { teamId: 'team_it', priority: 'P5', name: 'Planned', scopedId: 'pri_urgent' } },
  ],
  deletePriority: [unknownParameter, { parameters: { id: 'pri_nothing' } }],
  updatePriority: [{ json: { name: '' } }, { json: { nme: 'High' } }, { parameters: { id: 'pri_nothing' } }],
  listSlaDefinitions: [unknownParameter, { parameters: { team_id: 'team_nowhere' } }],
  getSlaDefinition: [unknownParameter, { parameters: { id: 'sla_nothing' } }],
  createSlaDefinition: [
    { json: { name: 'First response' } },
    {
      json: {
        teamId: 'team_nowhere',
        name: 'First response',
        startingPoint: 'SLA_STARTING_POINT_TICKET_CREATED',
        metric: 'SLA_METRIC_RESOLUTION',
      },
    },
  ],
  updateSlaDefinition: [
    { json: { name: '' } },
    { json: { clearFields: ['name'] } },
    { json: { actionDefinitions: [{ id: 'warn' }, { id: 'warn' }] } },
    { parameters: { id: 'sla_nothing' } },
  ],
  archiveSlaDefinition: [{ json: { archivedAt: '' } }, { parameters: { id: 'sla_nothing' } }],
  unarchiveSlaDefinition: [{ json: { archivedAt: '' } }, { parameters: { id: 'sla_nothing' } }],
  ingestUserProfiles: [
    { json: { source: 'hr', profiles: [] } },
    { json: { source: 'hr', profiles: [{ externalId: '1001', email: 'emre' }] } },
  ],
  republishUser: [{ json: { force: true } }, nobody],
  createUserRelationship: [
    { json: { userId: 'user_jonas' } },
    { json: { userId: 'user_nobody', relatedUserId: 'user_bela' } },
    { json: { userId: 'user_jonas', relatedUserId: 'user_nobody' } },
    { json: { userId: 'user_jonas', relatedUserId: 'user_jonas' } },
    { json: { userId: 'user_ines', relatedUserId: 'user_jonas' } },
  ],
  deleteUserRelationship: [{ parameters: { relationshipType: 'PEER' } }, { parameters: { user_id: 'user_nobody' } }],
  getUserRelationship: [{ parameters: { relationshipType: 'PEER' } }, { parameters: { user_id: 'user_ada' } }],
  updateUser: [
    { json: { timezone: 'Berlin' } },
    { json: { email: 'hanna.schulz@acme.example', jobTitle: 'Recruiter' } },
    { json: { pinFields: ['USER_PROFILE_FIELD_JOB_TITLE'] } },
    { json: { avatarUrl: 'https://avatars.acme.example/h.png', pinFields: ['USER_PROFILE_FIELD_AVATAR_URL'] } },
    {
      json: {
        jobTitle: 'Recruiter',
        pinFields: ['USER_PROFILE_FIELD_JOB_TITLE'],
        releaseFields: ['USER_PROFILE_FIELD_JOB_TITLE'],
      },
    },
    { json: { email: 'chidi.okafor@acme.example' }, parameters: { id: 'user_chidi' } },
    { json: { role: 'USER_ROLE_ORG_MEMBER' }, parameters: { id: 'user_ada' } },
    { json: { email: 'emre@acme.example' } },
    { json: { primaryPhone: '+902125550104' } },
    nobody,
  ],
  getUser: [unknownParameter, nobody],
  createUser: [{ json: { firstName: 'Olga' } }, { json: { email: 'olga' } }, { json: { email: 'emre@acme.example' } }],
  listUsers: [{ parameters: { pageToken: 'changed' } }, { parameters: { pageSize: '-1' } }],
  listDepartmentOptions: [unknownParameter],
  getEntityType: [unknownParameter, { parameters: { id: 'type_nothing' } }],
  listEntityTypes: [{ parameters: { pageToken: 'changed' } }, { parameters: { pageSize: '-1' } }],
  createEntityType: [{ json: { name: 'Room' } }, { json: { teamId: 'team_nowhere', name: 'Room' } }],
  updateEntityType: [{ json: { name: '' } }, { parameters: { id: 'type_nothing' } }],
  deleteEntityType: [{ parameters: { id: 'type_nothing' } }, { parameters: { id: 'type_person' } }],
}
