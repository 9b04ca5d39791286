/** What is changed about the example request of an operation, so that it is refused. */
export interface FaultyRequest {
  /** Instead of the examples, by parameter. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Instead of the body of the example: as JSON, or as form fields. */
  readonly json?: unknown
  readonly form?: string
}

const manager = { approvers: [{ manager: {} }] }
const simulator = {
  appInstanceId: 'app_forge',
  resourceType: 'repository',
  name: 'simulator',
  externalId: 'repo-1003',
}
const strangeCursor = Buffer.from('900 0198a1c0-7d00-7000-8000-00000000ffff').toString('base64url')
const noTeam = { parameters: { teamId: 'team_nowhere' } }

/**
 * Requests on the demo organization that rules of the operation refuse, by operation. What follows from the schema is
 * not here: credentials, sizes, types, pages, required fields, and objects that do not exist or are in use.
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
  getAccessPolicyApprovalProcedure: [{ parameters: { id: 'procedure_production' } }],
  listAccessPolicyApprovalProcedures: [{ parameters: { access_policy_id: 'policy_nothing' } }],
  updateAccessPolicyApprovalProcedure: [
    { json: {} },
    { json: { steps: [manager], timeoutSeconds: 299 } },
    { json: { stages: [{ steps: [manager] }], steps: [manager, manager] } },
    { json: { steps: [{ approvers: [{ user: { userId: 'user_nobody' } }] }] } },
  ],
  createApiKey: [
    { json: { name: 'Nightly report' } },
    { json: { permissions: ['reports:read'] } },
    { json: { teamId: 'team_nowhere', permissions: ['tickets:read'] } },
  ],
  rotateApiKey: [{ json: { overlapSeconds: -1 } }, { parameters: { id: '0198a1c0-7d00-7000-8000-0000000000a3' } }],
  revokeApiKey: [{ json: { chains: true } }],
  listAppInstances: [{ parameters: { teamId: '' } }, noTeam],
  createAppInstance: [
    { json: { teamId: 'team_it', name: 'Wiki', defaultAccessPolicyId: 'policy_nothing' } },
    { json: { teamId: 'team_it', name: 'Wiki', a2aAgentCard: { lastSyncedAt: 'yesterday' } } },
  ],
  updateAppInstance: [{ json: { defaultAccessPolicyId: 'policy_nothing' } }],
  listAppInstanceShares: [{ parameters: { id: 'app_nothing' } }],
  shareAppInstance: [{ parameters: { team_id: 'team_it' } }],
  unshareAppInstance: [{ parameters: { team_id: 'team_people' } }],
  createAppResource: [
    { json: { appInstanceId: 'app_forge', resourceType: 'repository', name: 'simulator', externalId: 'repo-1001' } },
    { json: { appInstanceId: 'app_forge', resourceType: 'repository', name: 'simulator', scopedId: 'ares_gripper' } },
  ],
  batchCreateAppResources: [
    { json: { resources: [] } },
    { json: { resources: [{ ...simulator, name: '' }] } },
    { json: { resources: [simulator, simulator] } },
    { json: { resources: [{ ...simulator, appInstanceId: 'app_nothing' }] } },
    { json: { resources: [{ ...simulator, externalId: 'repo-1001' }] } },
    { json: { resources: [{ ...simulator, scopedId: 'ares_gripper' }] } },
  ],
  batchUpdateAppResources: [
    { json: { resources: [] } },
    { json: { resources: [{ name: 'gripper-firmware' }] } },
    { json: { resources: [{ id: 'resource_gripper' }, { id: 'resource_gripper' }] } },
    { json: { resources: [{ id: 'resource_nothing' }] } },
    { json: { resources: [{ id: 'resource_gripper', externalId: 'repo-1001' }] } },
    { json: { resources: [{ id: 'resource_gripper', scopedId: 'ares_arm_control' }] } },
  ],
  listAuditEvents: [{ parameters: { since: 'yesterday' } }, { parameters: { actions: 'user.updated' } }],
  listNames: [{ parameters: { objects: 'teem/team_it' } }],
  listEvents: [
    { parameters: { cursor: 'changed' } },
    { parameters: { cursor: strangeCursor } },
    { parameters: { types: 'user.updated' } },
    { parameters: { waitSeconds: '31' } },
  ],
  watchEvents: [
    { parameters: { cursor: 'changed' } },
    { parameters: { cursor: strangeCursor } },
    { parameters: { types: 'user.updated' } },
  ],
  importRecords: [
    { json: [] },
    { json: [{ team: { id: 'team_labs', organizationId: 'org_other', name: 'Labs' } }] },
    { json: [{ priority: { id: 'pri_labs', teamId: 'team_nowhere', priority: 'P3', name: 'Experiment' } }] },
    {
      json: [
        {
          user: { id: 'user_ada', organizationId: 'org_acme', email: 'ada@acme.example', role: 'USER_ROLE_ORG_MEMBER' },
        },
      ],
    },
  ],
  revokeLeakedKey: [{ form: '' }, { form: 'secret=one&secret=two' }],
  createToken: [
    { form: 'grant_type=password' },
    { form: 'grant_type=client_credentials&client_id=a&client_id=b' },
    { form: 'grant_type=client_credentials&client_id=a&client_secret=b' },
  ],
  listEntityFieldMappings: [{ parameters: { entityTypeId: '' } }, { parameters: { entityTypeId: 'type_nothing' } }],
  listEntityIngestionConfigs: [{ parameters: { teamId: '' } }, noTeam],
  getJourney: [{ parameters: { id: 'ONB-12' } }],
  updateOrganization: [{ json: { region: 'eu' } }],
  createPriority: [{ json: { teamId: 'team_it', priority: 'P5', name: 'Planned', scopedId: 'pri_urgent' } }],
  updatePriority: [{ json: { nme: 'High' } }],
  listSlaDefinitions: [{ parameters: { team_id: 'team_nowhere' } }],
  updateSlaDefinition: [
    { json: { clearFields: ['name'] } },
    { json: { actionDefinitions: [{ id: 'warn' }, { id: 'warn' }] } },
  ],
  archiveSlaDefinition: [{ json: { archivedAt: '' } }],
  unarchiveSlaDefinition: [{ json: { archivedAt: '' } }],
  listGroupMembers: [{ parameters: { group_id: 'group_nothing' } }],
  addGroupMember: [
    { json: { role: 'owner' } },
    { parameters: { user_id: 'user_nobody' } },
    { parameters: { group_id: 'group_nothing' } },
    { parameters: { group_id: 'group_directory' } },
  ],
  removeGroupMember: [{ parameters: { user_id: 'user_nobody' } }],
  getTeamMember: [{ parameters: { user_id: 'user_hanna' } }, { parameters: { team_id: 'team_nowhere' } }],
  listTeamMembers: [{ parameters: { team_id: 'team_nowhere' } }, { parameters: { expiresBefore: 'tomorrow' } }],
  setTeamMember: [
    { json: { role: 'TEAM_USER_ROLE_AGENT', expiresAt: 'tomorrow' } },
    { json: { role: 'TEAM_USER_ROLE_AGENT', expiresAt: '2020-01-31T09:05:00.000Z' } },
    { parameters: { user_id: 'user_nobody' } },
    { parameters: { team_id: 'team_nowhere' } },
  ],
  removeTeamMember: [{ parameters: { user_id: 'user_hanna' } }],
  ingestUserProfiles: [
    { json: { source: 'hr', profiles: [] } },
    { json: { source: 'HR', profiles: [{ externalId: '1001', email: 'emre@acme.example' }] } },
  ],
  republishUser: [{ json: { force: true } }],
  createUserRelationship: [
    { json: { userId: 'user_jonas', relatedUserId: 'user_nobody' } },
    { json: { userId: 'user_jonas', relatedUserId: 'user_jonas' } },
    { json: { userId: 'user_ines', relatedUserId: 'user_jonas' } },
  ],
  deleteDepartmentOption: [
    { parameters: { id: 'department_nowhere' } },
    { parameters: { id: '0198a1c0-7d00-7000-8000-0000000000d2' } },
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
  ],
  batchUpdateUsers: [
    { json: { users: [] } },
    { json: { users: [{ jobTitle: 'Recruiter' }] } },
    { json: { users: [{ id: 'user_hanna', timezone: 'Berlin' }] } },
    { json: { users: [{ id: 'user_hanna' }, { id: 'user_hanna' }] } },
    { json: { users: [{ id: 'user_hanna', pinFields: ['USER_PROFILE_FIELD_JOB_TITLE'] }] } },
    {
      json: {
        users: [
          { id: 'user_hanna', avatarUrl: 'https://a.example/h.png', pinFields: ['USER_PROFILE_FIELD_AVATAR_URL'] },
        ],
      },
    },
    {
      json: {
        users: [
          {
            id: 'user_hanna',
            jobTitle: 'Recruiter',
            pinFields: ['USER_PROFILE_FIELD_JOB_TITLE'],
            releaseFields: ['USER_PROFILE_FIELD_JOB_TITLE'],
          },
        ],
      },
    },
  ],
  deactivateUser: [
    { parameters: { id: 'user_ada' } },
    { parameters: { id: 'user_chidi' } },
    { json: { deactivatedAt: '' } },
  ],
  reactivateUser: [{ parameters: { id: 'user_mina' } }, { json: { deactivatedAt: '' } }],
  listUserSessions: [{ parameters: { user_id: 'user_nothing' } }],
  endUserSessions: [{ json: { all: true } }],
  createUser: [{ json: { email: 'olga' } }, { json: { email: 'emre@acme.example' } }],
  listUsers: [{ parameters: { field: 'USER_PROFILE_FIELD_LOCALE' } }],
  createEntityIngestionConfig: [
    { json: { teamId: 'team_it', appInstanceId: 'app_nowhere', internalEntityTypeId: 'type_device' } },
  ],
  updateEntityIngestionConfig: [
    { json: { syncIntervalSeconds: -1 } },
    { json: { internalEntityTypeId: 'type_nowhere' } },
  ],
  createEntityFieldMapping: [
    { json: { entityTypeId: 'type_device', ingestionConfigId: 'config_nowhere', internalFieldId: 'field_name' } },
  ],
  updateEntityFieldMapping: [{ json: { ingestionConfigId: 'config_nowhere' } }],
  createWebhookEndpoint: [
    { json: { url: 'https://10.0.0.1/events' } },
    { json: { url: 'https://hooks.acme.example/', types: ['user.updated'] } },
    { json: { url: 'https://hooks.acme.example/', teamId: 'team_nowhere' } },
  ],
  updateWebhookEndpoint: [{ json: { url: 'http://hooks.acme.example/' } }, { json: { types: ['user.updated'] } }],
  rotateWebhookEndpointSecret: [{ json: { secret: '' } }],
  enableWebhookEndpoint: [{ json: { status: '' } }],
  disableWebhookEndpoint: [{ json: { status: '' } }],
  testWebhookEndpoint: [{ json: { type: '' } }],
  recoverWebhookEndpoint: [{ json: { since: 'yesterday' } }],
  replayWebhookEndpoint: [{ json: { position: '4711' } }],
  listWebhookDeliveries: [{ parameters: { webhook_endpoint_id: 'webhook_nothing' } }],
  resendWebhookDelivery: [{ parameters: { webhook_endpoint_id: 'webhook_nothing' } }, { json: { force: true } }],
}
