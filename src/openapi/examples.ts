import type { JsonObject, JsonValue } from '@bufbuild/protobuf'

/** Examples of parameters by the field's fully qualified name: things of the demo organization. */
export const parameterExamples: Readonly<Record<string, JsonValue>> = {
  'svc.v2.CreateAccessPolicyApprovalProcedureRequest.access_policy_id': 'policy_standard',
  'svc.v2.GetAccessPolicyRequest.id': 'policy_standard',
  'svc.v2.UpdateAccessPolicyRequest.id': 'policy_standard',
  'svc.v2.DeleteAccessPolicyRequest.id': 'policy_visitors',
  'svc.v2.UpdatePriorityRequest.id': 'pri_urgent',
  'svc.v2.GetPriorityRequest.id': 'pri_urgent',
  'svc.v2.DeletePriorityRequest.id': 'pri_low',
  'svc.v2.ListAppInstancesRequest.team_id': 'team_it',
  'svc.v2.GetJourneyRequest.id': '0198a1c0-7d00-7000-8000-000000000001',
  'svc.v2.ListEntityIngestionConfigsRequest.team_id': 'team_people',
  'svc.v2.ListEntityFieldMappingsRequest.entity_type_id': 'type_person',
  'svc.v2.ListSlaDefinitionsRequest.team_id': 'team_it',
  'svc.v2.GetSlaDefinitionRequest.id': 'sla_resolution',
  'svc.v2.UpdateSlaDefinitionRequest.id': 'sla_resolution',
  'svc.v2.ArchiveSlaDefinitionRequest.id': 'sla_resolution',
  'svc.v2.UnarchiveSlaDefinitionRequest.id': 'sla_old_resolution',
  'svc.v2.GetUserRequest.id': 'user_hanna',
  'svc.v2.UpdateUserRequest.id': 'user_hanna',
  'svc.v2.RepublishUserRequest.id': 'user_emre',
  'svc.v2.DeleteUserRelationshipRequest.user_id': 'user_jonas',
  'svc.v2.GetUserRelationshipRequest.user_id': 'user_hanna',
  'svc.v2.GetEntityTypeRequest.id': 'type_person',
  'svc.v2.UpdateEntityTypeRequest.id': 'type_device',
  'svc.v2.DeleteEntityTypeRequest.id': 'type_building',
}

/** Examples of bodies by the request's type. */
export const bodyExamples: Readonly<Record<string, JsonObject>> = {
  'svc.v2.RevokeLeakedKeyRequest': { secret: 'svc_secret_pk_0000000000000000000000000000000000000000000000000' },
  'svc.v2.CreateTokenRequest': { grant_type: 'client_credentials' },
  'svc.v2.CreateAccessPolicyApprovalProcedureRequest': {
    stages: [
      { steps: [{ approvers: [{ manager: {}, notify: true }] }] },
      { steps: [{ approvers: [{ group: { groupId: 'group_security' } }], approverJustificationMode: 'REQUIRED' }] },
    ],
    timeoutSeconds: 86_400,
  },
  'svc.v2.CreateAccessPolicyRequest': { teamId: 'team_it', name: 'Contractors' },
  'svc.v2.UpdateAccessPolicyRequest': { name: 'Usual access' },
  'svc.v2.BatchUpdateAppResourcesRequest': {
    resources: [
      { id: 'resource_arm_control', description: 'Motion control of the robot arm' },
      { id: 'resource_gripper', name: 'gripper-firmware' },
    ],
  },
  'svc.v2.CreatePriorityRequest': { teamId: 'team_it', priority: 'P5', name: 'Planned', scopedId: 'pri_planned' },
  'svc.v2.UpdatePriorityRequest': { name: 'Urgent', isAiSelectable: true },
  'svc.v2.CreateSlaDefinitionRequest': {
    teamId: 'team_it',
    name: 'First response',
    policyGroup: 'response',
    targetDurationSeconds: 28_800,
    conditions: [
      {
        id: 'answered',
        conditionType: 'SLA_CONDITION_TYPE_STOP',
        conditionRule: { type: 'field', field: 'firstReplyBy', op: 'exists' },
      },
    ],
    actionDefinitions: [{ id: 'warn', workflowId: 'workflow_remind_assignee', offsetSeconds: -3600 }],
    startingPoint: 'SLA_STARTING_POINT_TICKET_CREATED',
    metric: 'SLA_METRIC_FIRST_HUMAN_RESPONSE',
  },
  'svc.v2.UpdateSlaDefinitionRequest': { targetDurationSeconds: 86_400, clearFields: ['actionDefinitions'] },
  'svc.v2.ArchiveSlaDefinitionRequest': {},
  'svc.v2.UnarchiveSlaDefinitionRequest': {},
  'svc.v2.CreateUserRequest': { email: 'olga@acme.example', firstName: 'Olga', department: 'Engineering' },
  'svc.v2.UpdateUserRequest': { jobTitle: 'Recruiter', pinFields: ['USER_PROFILE_FIELD_JOB_TITLE'] },
  'svc.v2.CreateUserRelationshipRequest': { userId: 'user_jonas', relatedUserId: 'user_bela' },
  'svc.v2.IngestUserProfilesRequest': {
    source: 'hr',
    profiles: [{ externalId: '1001', email: 'emre@acme.example', jobTitle: 'Specialist' }],
  },
  'svc.v2.RepublishUserRequest': {},
  'svc.v2.CreateEntityTypeRequest': { teamId: 'team_it', name: 'Room' },
  'svc.v2.UpdateEntityTypeRequest': { name: 'Managed device' },
}
