/** Every action that the audit log records: what it was done to, and what was done. */
export const auditActions = [
  'access_policy.create',
  'access_policy.delete',
  'access_policy.update',
  'access_token.revoke',
  'api_key.create',
  'api_key.revoke',
  'api_key.rotate',
  'app_resource.update',
  'approval_procedure.create',
  'entity_type.create',
  'entity_type.delete',
  'entity_type.update',
  'group.create',
  'group.delete',
  'group.update',
  'priority.create',
  'priority.delete',
  'priority.update',
  'sla_definition.archive',
  'sla_definition.create',
  'sla_definition.unarchive',
  'sla_definition.update',
  'user.create',
  'user.deactivate',
  'user.directory_sync',
  'user.import',
  'user.ingest',
  'user.reactivate',
  'user.republish',
  'user.update',
  'user.update_email',
  'user.update_role',
  'user_relationship.create',
  'user_relationship.delete',
  'user_token.revoke',
] as const

/** An action that the audit log records. */
export type AuditAction = (typeof auditActions)[number]

/** Whether a text is one of these actions. */
export function isAuditAction(text: string): text is AuditAction {
  return auditActions.some((action) => action === text)
}
