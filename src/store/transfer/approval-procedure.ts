import { Prisma } from '../../../gen/prisma/client.js'
import { memberCheck, organizationCheck, referenceCheck } from './checks.js'
import { eachRecord } from './each-record.js'
import { idKey, sameColumns, type TransferTable } from './transfer-table.js'

const place = { table: Prisma.sql`approval_procedures`, staged: Prisma.sql`staged_approval_procedure`, key: idKey }
const steps = eachRecord('steps', 'step', {
  ...{ id: 'text', field: 'text', stage_index: 'integer', step_index: 'integer', allow_self_approval: 'boolean' },
  ...{ approver_justification_mode: 'approver_justification_mode', suppress_notifications: 'boolean' },
  ...{ auto_approve_self: 'boolean', custom_workflow_id: 'text', approvers: 'jsonb' },
})
const approvers = Prisma.sql`${steps}
CROSS JOIN LATERAL ROWS FROM (jsonb_to_recordset(step.approvers) AS (kind approver_kind, "userId" text, "groupId" text,
  notify boolean)) WITH ORDINALITY AS approver(kind, user_id, group_id, notify, place)`

/** Approval procedures with their steps and approvers. */
export const approvalProcedureTable: TransferTable = {
  ...place,
  columns: { id: 'text', access_policy_id: 'text', timeout_seconds: 'integer', steps: 'jsonb' },
  owner: {
    ...{ table: 'access_policies', column: 'access_policy_id', field: 'accessPolicyId', noun: 'access policy' },
    gives: { organization_id: Prisma.sql`owner.organization_id` },
  },
  values: sameColumns('organization_id', 'access_policy_id', 'timeout_seconds'),
  checks: {
    organization: organizationCheck(place),
    user_id: memberCheck({
      staged: place.staged,
      column: Prisma.sql`approver.user_id`,
      field: Prisma.sql`format('%s.approvers[%s].user.userId', step.field, approver.place - 1)`,
      from: approvers,
    }),
    group_id: referenceCheck({
      staged: place.staged,
      column: Prisma.sql`approver.group_id`,
      field: Prisma.sql`format('%s.approvers[%s].group.groupId', step.field, approver.place - 1)`,
      noun: 'group',
      table: 'groups',
      from: approvers,
    }),
  },
  children: [
    Prisma.sql`DELETE FROM approval_steps x USING ${place.staged} s WHERE x.organization_id = s.organization_id AND x.procedure_id = s.id`,
    Prisma.sql`INSERT INTO approval_steps (organization_id, procedure_id, id, stage_index, step_index, allow_self_approval,
       approver_justification_mode, suppress_notifications, auto_approve_self, custom_workflow_id)
     SELECT s.organization_id, s.id, step.id, step.stage_index, step.step_index, step.allow_self_approval,
       step.approver_justification_mode, step.suppress_notifications, step.auto_approve_self, step.custom_workflow_id
     FROM ${place.staged} s ${steps}`,
    Prisma.sql`INSERT INTO approval_step_approvers (organization_id, procedure_id, step_id, position, kind, user_id, group_id, notify)
     SELECT s.organization_id, s.id, step.id, approver.place - 1, approver.kind, approver.user_id, approver.group_id,
       approver.notify
     FROM ${place.staged} s ${approvers}`,
  ],
  finalChecks: {},
  select: Prisma.sql`
SELECT json_build_object('id', p.id, 'accessPolicyId', p.access_policy_id, 'steps', flow.steps,
  'timeoutSeconds', p.timeout_seconds, 'stages', flow.stages) AS record
FROM approval_procedures p CROSS JOIN LATERAL (
  WITH step AS (
    SELECT x.stage_index, x.step_index, json_build_object('id', x.id, 'allowSelfApproval', x.allow_self_approval,
      'approvers', (
        SELECT coalesce(json_agg(json_build_object(
          'appOwner', CASE a.kind WHEN 'APP_OWNER' THEN json_build_object() END,
          'manager', CASE a.kind WHEN 'MANAGER' THEN json_build_object() END,
          'user', CASE a.kind WHEN 'USER' THEN json_build_object('userId', a.user_id) END,
          'group', CASE a.kind WHEN 'GROUP' THEN json_build_object('groupId', a.group_id) END,
          'notify', a.notify) ORDER BY a.position), '[]')
        FROM approval_step_approvers a WHERE a.procedure_id = x.procedure_id AND a.step_id = x.id),
      'customWorkflow',
        CASE WHEN x.custom_workflow_id IS NOT NULL THEN json_build_object('workflowId', x.custom_workflow_id) END,
      'approverJustificationMode', replace(x.approver_justification_mode::text, 'UNSET', ''),
      'suppressNotifications', x.suppress_notifications, 'autoApproveSelf', x.auto_approve_self) AS record
    FROM approval_steps x WHERE x.procedure_id = p.id
  ), stage AS (
    SELECT stage_index, json_agg(step.record ORDER BY step_index) AS steps FROM step GROUP BY stage_index
  )
  SELECT (SELECT json_agg(step.record ORDER BY stage_index, step_index) FROM step) AS steps,
    (SELECT json_agg(json_build_object('steps', stage.steps) ORDER BY stage_index) FROM stage) AS stages
) flow
ORDER BY p.ordinal`,
}
