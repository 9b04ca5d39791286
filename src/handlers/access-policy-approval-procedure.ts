import type { DescMessage } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import {
  type AccessPolicyApprovalProcedureService,
  type CreateAccessPolicyApprovalProcedureRequest,
  CreateAccessPolicyApprovalProcedureRequestSchema,
  type UpdateAccessPolicyApprovalProcedureRequest,
  UpdateAccessPolicyApprovalProcedureRequestSchema,
} from '../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import {
  createApprovalProcedure,
  stepFromInput,
  updateApprovalProcedure,
} from '../domain/access-policy-approval-procedure.js'
import type { LimitCheck } from '../limits/limit-check.js'
import { taggedAnswer } from './printed-answer.js'
import { scopeOf } from './request-context.js'

/** The methods of approval procedures whose requests have steps; the others are standard methods. */
export function createAccessPolicyApprovalProcedureHandlers({
  limitCheck,
}: {
  readonly limitCheck: LimitCheck
}): Partial<ServiceImpl<typeof AccessPolicyApprovalProcedureService>> {
  const draftFrom = (desc: DescMessage, request: ProcedureRequest) => ({
    accessPolicyId: request.accessPolicyId,
    timeoutSeconds: request.timeoutSeconds,
    steps: request.steps.map(stepFromInput),
    stages: request.stages.map(({ steps }) => ({ steps: steps.map(stepFromInput) })),
    violations: limitCheck(desc, request),
  })
  return {
    async createAccessPolicyApprovalProcedure(request, context) {
      const draft = draftFrom(CreateAccessPolicyApprovalProcedureRequestSchema, request)
      const procedure = await createApprovalProcedure(scopeOf(context), draft)
      return taggedAnswer(context, procedure)
    },
    async updateAccessPolicyApprovalProcedure(request, context) {
      const draft = draftFrom(UpdateAccessPolicyApprovalProcedureRequestSchema, request)
      const procedure = await updateApprovalProcedure(scopeOf(context), { id: request.id, ...draft })
      return taggedAnswer(context, procedure)
    },
  }
}

type ProcedureRequest = CreateAccessPolicyApprovalProcedureRequest | UpdateAccessPolicyApprovalProcedureRequest
