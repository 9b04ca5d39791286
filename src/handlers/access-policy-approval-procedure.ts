import type { ServiceImpl } from '@connectrpc/connect'
import {
  type AccessPolicyApprovalProcedureService,
  CreateAccessPolicyApprovalProcedureRequestSchema,
  CreateAccessPolicyApprovalProcedureResponseSchema,
} from '../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { createApprovalProcedure } from '../domain/access-policy-approval-procedure/access-policy-approval-procedure.js'
import type { LimitCheck } from '../limits/limit-check.js'
import { stepFromMessage } from './approval-step.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { scopeOf } from './request-context.js'

/** The service of approval procedures. */
export function createAccessPolicyApprovalProcedureHandlers({
  limitCheck,
  printedAnswer,
}: PrintedAnswerOptions & {
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
