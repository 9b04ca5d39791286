import { v5 } from 'uuid'
import { DEFAULT_TIMEOUT_SECONDS } from '../../domain/access-policy-approval-procedure/access-policy-approval-procedure.js'
import { justificationModeFrom } from '../../domain/access-policy-approval-procedure/approval-step.js'
import { invalidField } from '../../errors.js'
import { idOf } from '../field-values.js'
import type { StagedRow } from '../staged-row.js'
import { type ApprovalStage, type ApprovalStep, approvalStepsOf } from './approval-flow.js'

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

/** The record as a row to be staged. Throws a ServiceError that names the field at fault. */
export function approvalProcedureRow(record: ApprovalProcedureRecord): StagedRow {
  const id = idOf('id', record.id)
  return {
    key: id,
    values: {
      id,
      accessPolicyId: idOf('accessPolicyId', record.accessPolicyId),
      timeoutSeconds: timeoutOf(record.timeoutSeconds),
      steps: approvalStepsOf(record).map(({ id: stepId, path, stageIndex, stepIndex, step }) => ({
        id: stepId || v5(`${id} ${stageIndex} ${stepIndex}`, STEP_NAMESPACE),
        field: path,
        stageIndex: stageIndex,
        stepIndex: stepIndex,
        allowSelfApproval: step.allowSelfApproval,
        approverJustificationMode: justificationModeFrom(step.approverJustificationMode),
        suppressNotifications: step.suppressNotifications,
        autoApproveSelf: step.autoApproveSelf,
        customWorkflowId: step.customWorkflow?.workflowId ?? null,
        approvers: step.approvers.map(({ kind, userId, groupId, notify }) => ({
          kind,
          userId: kind === 'USER' ? userId : null,
          groupId: kind === 'GROUP' ? groupId : null,
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
