import type { ServiceImpl } from '@connectrpc/connect'
import {
  type AccessPolicyApprovalProcedureService,
  type Approver as ApproverMessage,
  CreateAccessPolicyApprovalProcedureRequestSchema,
  CreateAccessPolicyApprovalProcedureResponseSchema,
  type Step,
} from '../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import type { Approver, StepDraft } from '../domain/access-policy-approval-procedure.js'
import { createApprovalProcedure } from '../domain/access-policy-approval-procedure.js'
import type { LimitCheck } from '../limits/limit-check.js'
import { printedAnswer } from './printed-answer.js'
import { scopeOf } from './request-context.js'

/** The service of approval procedures. */
export function createAccessPolicyApprovalProcedureHandlers({
  limitCheck,
}: {
  readonly limitCheck: LimitCheck
}): ServiceImpl<typeof AccessPolicyApprovalProcedureService> {
  return {
    async createAccessPolicyApprovalProcedure(request, context) {
      const { accessPolicyId, timeoutSeconds, steps, stages } = request
      const draft = {
        accessPolicyId,
        timeoutSeconds,
        steps: steps.map(stepFromMessage),
        stages: stages.map((stage) => ({ steps: stage.steps.map(stepFromMessage) })),
        violations: limitCheck(CreateAccessPolicyApprovalProcedureRequestSchema, request),
      }
      const procedure = await createApprovalProcedure(scopeOf(context), draft)
      return printedAnswer(CreateAccessPolicyApprovalProcedureResponseSchema, procedure)
    },
  }
}

/** A step as the rules expect it, without its id. */
export function stepFromMessage(step: Step): StepDraft {
  return {
    allowSelfApproval: step.allowSelfApproval,
    approvers: step.approvers.map(approverFromMessage),
    customWorkflow: step.customWorkflow && { workflowId: step.customWorkflow.workflowId },
    approverJustificationMode: step.approverJustificationMode,
    suppressNotifications: step.suppressNotifications,
    autoApproveSelf: step.autoApproveSelf,
  }
}

const noIds = { userId: '', groupId: '' }

function approverFromMessage({ kind, notify }: ApproverMessage): Approver {
  switch (kind.case) {
    case undefined:
      return { kind: undefined, ...noIds, notify }
    case 'appOwner':
      return { kind: 'APP_OWNER', ...noIds, notify }
    case 'manager':
      return { kind: 'MANAGER', ...noIds, notify }
    case 'user':
      return { kind: 'USER', userId: kind.value.userId, groupId: '', notify }
    case 'group':
      return { kind: 'GROUP', userId: '', groupId: kind.value.groupId, notify }
  }
}
