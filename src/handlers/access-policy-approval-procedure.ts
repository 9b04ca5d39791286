import { create } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import {
  type AccessPolicyApprovalProcedureService,
  type ApprovalProcedure as ApprovalProcedureMessage,
  ApprovalProcedureSchema,
  type Approver as ApproverMessage,
  ApproverSchema,
  CreateAccessPolicyApprovalProcedureResponseSchema,
  StageSchema,
  type Step,
  StepSchema,
} from '../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import type { Store } from '../db/queryable.js'
import {
  type ApprovalProcedure,
  type ApprovalStep,
  createApprovalProcedure,
} from '../domain/access-policy-approval-procedure/access-policy-approval-procedure.js'
import type { Approver, StepDraft } from '../domain/access-policy-approval-procedure/approval-step.js'
import type { Runtime } from '../runtime/runtime.js'
import { callerOf } from './request-context.js'
import { writeContextOf } from './write-context.js'

/** The service of approval procedures. */
export function createAccessPolicyApprovalProcedureHandlers({
  database,
  runtime,
}: {
  readonly database: Pick<Store, 'preparedTransaction'>
  readonly runtime: Runtime
}): ServiceImpl<typeof AccessPolicyApprovalProcedureService> {
  return {
    async createAccessPolicyApprovalProcedure({ accessPolicyId, timeoutSeconds, steps, stages }, context) {
      const draft = {
        accessPolicyId,
        timeoutSeconds,
        steps: steps.map(stepFromMessage),
        stages: stages.map((stage) => ({ steps: stage.steps.map(stepFromMessage) })),
      }
      const write = writeContextOf(runtime, context)
      const procedure = await createApprovalProcedure(database, callerOf(context), draft, write)
      return create(CreateAccessPolicyApprovalProcedureResponseSchema, { data: procedureToMessage(procedure) })
    },
  }
}

function stepFromMessage(step: Step): StepDraft {
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

function procedureToMessage({ stages, ...fields }: ApprovalProcedure): ApprovalProcedureMessage {
  const stageMessages = stages.map(({ steps }) => create(StageSchema, { steps: steps.map(stepToMessage) }))
  return create(ApprovalProcedureSchema, {
    ...fields,
    stages: stageMessages,
    steps: stageMessages.flatMap(({ steps }) => steps),
  })
}

function stepToMessage({ approvers, customWorkflow, ...fields }: ApprovalStep): Step {
  return create(StepSchema, {
    ...fields,
    approvers: approvers.map(approverToMessage),
    ...(customWorkflow && { customWorkflow }),
  })
}

function approverToMessage({ kind, userId, groupId, notify }: Approver): ApproverMessage {
  switch (kind) {
    case 'USER':
      return create(ApproverSchema, { kind: { case: 'user', value: { userId } }, notify })
    case 'GROUP':
      return create(ApproverSchema, { kind: { case: 'group', value: { groupId } }, notify })
    case 'MANAGER':
      return create(ApproverSchema, { kind: { case: 'manager', value: {} }, notify })
    case 'APP_OWNER':
      return create(ApproverSchema, { kind: { case: 'appOwner', value: {} }, notify })
    case undefined:
      return create(ApproverSchema, { notify })
  }
}
