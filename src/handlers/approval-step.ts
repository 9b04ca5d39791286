import type { Approver as ApproverMessage, Step } from '../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import type { Approver, StepDraft } from '../domain/access-policy-approval-procedure/approval-step.js'

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
