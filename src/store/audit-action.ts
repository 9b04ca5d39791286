const writesOf = <Type extends string>(type: Type) => [`${type}.create`, `${type}.delete`, `${type}.update`] as const

const actions = [
  ...writesOf('access_policy'),
  'access_token.revoke',
  'api_key.create',
  'api_key.revoke',
  'api_key.rotate',
  ...writesOf('app_instance'),
  'app_instance.share',
  'app_instance.unshare',
  ...writesOf('app_resource'),
  ...writesOf('approval_procedure'),
  'department_option.delete',
  ...writesOf('entity_field_mapping'),
  ...writesOf('entity_ingestion_config'),
  ...writesOf('entity_type'),
  ...writesOf('group'),
  'organization.import',
  'organization.update',
  ...writesOf('priority'),
  'sla_definition.archive',
  'sla_definition.create',
  'sla_definition.unarchive',
  'sla_definition.update',
  ...writesOf('team'),
  'team_member.remove',
  'team_member.set',
  'user.create',
  'user.deactivate',
  'user.directory_sync',
  'user.end_sessions',
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
  ...writesOf('webhook_endpoint'),
  'webhook_endpoint.disable',
  'webhook_endpoint.enable',
  'webhook_endpoint.recover',
  'webhook_endpoint.replay',
  'webhook_endpoint.resend',
  'webhook_endpoint.rotate_secret',
  'webhook_endpoint.test',
] as const

/** An action that the audit log records: what it was done to, and what was done. */
export type AuditAction = (typeof actions)[number]

/** Every action that the audit log records, in the order of their texts. */
export const auditActions: readonly AuditAction[] = [...actions].sort()

/** Actions on what belongs to something else, by their first word: the target is what it belongs to. */
const ownerOf: Readonly<Record<string, string>> = {
  access_token: 'api_key',
  team_member: 'user',
  user_relationship: 'user',
  user_token: 'user',
}

export function targetTypeOf(action: AuditAction): string {
  const [type = ''] = action.split('.')
  return ownerOf[type] ?? type
}

export function isAuditAction(text: string): text is AuditAction {
  return auditActions.some((action) => action === text)
}
