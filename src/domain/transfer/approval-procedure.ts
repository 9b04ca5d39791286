import { v5 } from 'uuid'
import { invalidField } from '../../errors.js'
import { DEFAULT_TIMEOUT_SECONDS } from '../access-policy-approval-procedure.js'
import { justificationModeFrom } from '../approval-step.js'
import { type ApprovalStage, type ApprovalStep, approvalStepsOf } from './approval-flow.js'
import { idOf } from './field-values.js'
import {
  lockStatement,
  memberCheck,
  organizationCheck,
  referenceCheck,
  sameColumns,
  upsertStatement,
} from './statements.js'
import type { StagedRow, TransferResource } from './transfer-resource.js'

/** A line of the kind `approvalProcedure`. */
export interface ApprovalProcedureRecord {
  readonly id: string
  readonly accessPolicyId: string
  readonly steps: readonly ApprovalStep[]
  readonly timeoutSeconds: number
  readonly stages: readonly ApprovalStage[]
}

/** Namespace of the ids (UUIDv5, RFC 9562) of steps that come without one: the same place has the same id each time. */
const STEP_NAMESPACE = '6f2f6a3e-55b2-4a57-9d0b-3c1f5f3f7a4e'
const LEAST_TIMEOUT_SECONDS = 300
const GREATEST_TIMEOUT_SECONDS = 7_776_000

const place = { table: 'approval_procedures', staged: 'staged_approval_procedure', key: { id: 's.id' } }
const steps = `CROSS JOIN LATERAL jsonb_to_recordset(s.steps) AS step(id text, field text, stage_index integer,
  step_index integer, allow_self_approval boolean, approver_justification_mode approver_justification_mode,
  suppress_notifications boolean, auto_approve_self boolean, custom_workflow_id text, approvers jsonb)`
const approvers = `${steps}
CROSS JOIN LATERAL ROWS FROM (jsonb_to_recordset(step.approvers) AS (kind approver_kind, user_id text, group_id text,
  notify boolean)) WITH ORDINALITY AS approver(kind, user_id, group_id, notify, place)`

function rowOf(record: ApprovalProcedureRecord): StagedRow {
  const id = idOf('id', record.id)
  return {
    key: id,
    values: {
      id,
      access_policy_id: idOf('accessPolicyId', record.accessPolicyId),
      timeout_seconds: timeoutOf(record.timeoutSeconds),
      steps: approvalStepsOf(record).map(({ id: stepId, path, stageIndex, stepIndex, step }) => ({
        id: stepId || v5(`${id} ${stageIndex} ${stepIndex}`, STEP_NAMESPACE),
        field: path,
        stage_index: stageIndex,
        step_index: stepIndex,
        allow_self_approval: step.allowSelfApproval,
        approver_justification_mode: justificationModeFrom(step.approverJustificationMode),
        suppress_notifications: step.suppressNotifications,
        auto_approve_self: step.autoApproveSelf,
        custom_workflow_id: step.customWorkflow?.workflowId ?? null,
        approvers: step.approvers.map(({ kind, userId, groupId, notify }) => ({
          kind,
          user_id: kind === 'USER' ? userId : null,
          group_id: kind === 'GROUP' ? groupId : null,
          notify,
        })),
      })),
    },
  }
}

function timeoutOf(seconds: number): number {
  if (seconds === 0) return DEFAULT_TIMEOUT_SECONDS
  if (seconds >= LEAST_TIMEOUT_SECONDS && seconds <= GREATEST_TIMEOUT_SECONDS) return seconds
  throw invalidField(
    'timeoutSeconds',
    `must be 0 or from ${LEAST_TIMEOUT_SECONDS} to ${GREATEST_TIMEOUT_SECONDS}`,
    'TIMEOUT_OUT_OF_RANGE',
  )
}

/** Approval procedures with their steps and approvers in files. */
export const approvalProcedureTransfer: TransferResource<ApprovalProcedureRecord> = {
  staged: place.staged,
  rowOf,
  columns: { id: 'text', access_policy_id: 'text', timeout_seconds: 'integer', steps: 'jsonb' },
  owner: {
    table: 'access_policies',
    column: 'access_policy_id',
    field: 'accessPolicyId',
    gives: { organization_id: 'owner.organization_id' },
  },
  checks: [
    organizationCheck(place.table, place.staged),
    memberCheck({
      staged: place.staged,
      column: 'approver.user_id',
      field: `format('%s.approvers[%s].user.userId', step.field, approver.place - 1)`,
      from: approvers,
    }),
    referenceCheck({
      staged: place.staged,
      column: 'approver.group_id',
      field: `format('%s.approvers[%s].group.groupId', step.field, approver.place - 1)`,
      noun: 'group',
      table: 'groups',
      from: approvers,
    }),
  ],
  lock: lockStatement(place),
  upsert: upsertStatement({
    ...place,
    values: sameColumns('organization_id', 'access_policy_id', 'timeout_seconds'),
  }),
  children: [
    `DELETE FROM approval_steps x USING ${place.staged} s WHERE x.procedure_id = s.id`,
    `INSERT INTO approval_steps (organization_id, procedure_id, id, stage_index, step_index, allow_self_approval,
       approver_justification_mode, suppress_notifications, auto_approve_self, custom_workflow_id)
     SELECT s.organization_id, s.id, step.id, step.stage_index, step.step_index, step.allow_self_approval,
       step.approver_justification_mode, step.suppress_notifications, step.auto_approve_self, step.custom_workflow_id
     FROM ${place.staged} s ${steps}`,
    `INSERT INTO approval_step_approvers (organization_id, procedure_id, step_id, position, kind, user_id, group_id, notify)
     SELECT s.organization_id, s.id, step.id, approver.place - 1, approver.kind, approver.user_id, approver.group_id,
       approver.notify
     FROM ${place.staged} s ${approvers}`,
  ],
  finalChecks: [],
  select: `
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
