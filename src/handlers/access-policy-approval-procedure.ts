import type { ServiceImpl } from '@connectrpc/connect'
import {
  type AccessPolicyApprovalProcedureService,
  CreateAccessPolicyApprovalProcedureRequestSchema,
  CreateAccessPolicyApprovalProcedureResponseSchema,
} from '../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import type { PreparedStore } from '../db/queryable.js'
import { createApprovalProcedure } from '../domain/access-policy-approval-procedure/access-policy-approval-procedure.js'
import type { LimitCheck } from '../limits/limit-check.js'
import type { Runtime } from '../runtime/runtime.js'
import { stepFromMessage } from './approval-step.js'
import { storeOf } from './idempotency.js'
import type { PrintedAnswerOptions } from './printed-answer.js'
import { callerOf } from './request-context.js'
import { writeContextOf } from './write-context.js'

/** The service of approval procedures. */
export function createAccessPolicyApprovalProcedureHandlers({
  database,
  runtime,
  limitCheck,
  printedAnswer,
}: PrintedAnswerOptions & {
  readonly database: PreparedStore
  readonly runtime: Runtime
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
      const write = writeContextOf(runtime, context)
      const procedure = await createApprovalProcedure(storeOf(context, database), callerOf(context), draft, write)
      return printedAnswer(CreateAccessPolicyApprovalProcedureResponseSchema, procedure)
    },
  }
}
