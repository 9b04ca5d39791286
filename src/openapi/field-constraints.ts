import type { JsonObject } from '@bufbuild/protobuf'

const pageSize = { minimum: 0, default: 10_000 }
const journeyId = { format: 'uuid' }

/**
 * What the JSON schemas of single fields say beyond the type, by the field's fully qualified name: the limits that the
 * domain keeps and that neither descriptors nor the wording of comments can carry. The generator refuses a name that
 * is no field. A default is for parameters alone: generators take a field of a body that has one for always there.
 */
export const fieldConstraints: Readonly<Record<string, JsonObject>> = {
  'svc.v2.RevokeLeakedKeyRequest.secret': { minLength: 1 },
  'svc.v2.CreateTokenRequest.grant_type': { const: 'client_credentials' },
  'svc.v2.CreateTokenResponse.token_type': { const: 'Bearer' },
  'svc.v2.CreateTokenResponse.expires_in': { minimum: 1 },
  'svc.v2.Date.year': { minimum: 1, maximum: 9999 },
  'svc.v2.Date.month': { minimum: 1, maximum: 12 },
  'svc.v2.Date.day': { minimum: 1, maximum: 31 },
  'svc.v2.CreateAccessPolicyApprovalProcedureRequest.steps': { maxItems: 50 },
  'svc.v2.CreateAccessPolicyApprovalProcedureRequest.stages': { maxItems: 50 },
  'svc.v2.CreateAccessPolicyApprovalProcedureRequest.timeout_seconds': {
    oneOf: [
      { type: 'integer', enum: [0] },
      { type: 'integer', format: 'int32', minimum: 300, maximum: 7_776_000 },
    ],
  },
  'svc.v2.ApprovalProcedure.timeout_seconds': { minimum: 300, maximum: 7_776_000 },
  'svc.v2.Stage.steps': { minItems: 1, maxItems: 50 },
  'svc.v2.Step.approver_justification_mode': { enum: ['', 'NONE', 'OPTIONAL', 'REQUIRED'] },
  'svc.v2.BatchUpdateAppResourcesRequest.resources': { minItems: 1, maxItems: 1000 },
  'svc.v2.AppResourceUpdate.id': { minLength: 1 },
  'svc.v2.ListAppInstancesRequest.page_size': pageSize,
  'svc.v2.GetJourneyRequest.id': journeyId,
  'svc.v2.Journey.id': journeyId,
  'svc.v2.Journey.progress_percent': { minimum: 0, maximum: 100 },
  'svc.v2.Journey.current_task_index': { minimum: 0 },
  'svc.v2.JourneyTask.id': journeyId,
  'svc.v2.ListUsersRequest.page_size': pageSize,
  'svc.v2.ListAuditEventsRequest.page_size': pageSize,
  'svc.v2.ListAuditEventsRequest.since': { format: 'date-time' },
  'svc.v2.ListAuditEventsRequest.until': { format: 'date-time' },
  'svc.v2.User.email': { format: 'email' },
  'svc.v2.CreateUserRequest.email': { format: 'email' },
  'svc.v2.UpdateUserRequest.email': { format: 'email' },
  'svc.v2.IngestUserProfilesRequest.profiles': { minItems: 1, maxItems: 1000 },
  'svc.v2.SourceProfile.external_id': { minLength: 1 },
  'svc.v2.SourceProfile.email': { format: 'email' },
  'svc.v2.AuditEvent.id': { format: 'uuid' },
}
