import type { DescMessage } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import {
  type AccessPolicyApprovalProcedureService,
  type CreateAccessPolicyApprovalProcedureRequest,
  CreateAccessPolicyApprovalProcedureRequestSchema,
  CreateAccessPolicyApprovalProcedureResponseSchema,
  type UpdateAccessPolicyApprovalProcedureRequest,
  UpdateAccessPolicyApprovalProcedureRequestSchema,
  UpdateAccessPolicyApprovalProcedureResponseSchema,
} from '../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import {
  createApprovalProcedure,
  stepFromInput,
  updateApprovalProcedure,
} from '../domain/access-policy-approval-procedure.js'
import type { LimitCheck } from '../limits/limit-check.js'
import { scopeOf } from './request-context.js'
import { taggedAnswer } from './standard-methods.js'

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
      return taggedAnswer(CreateAccessPolicyApprovalProcedureResponseSchema, procedure, context)
    },
    async updateAccessPolicyApprovalProcedure(request, context) {
      const draft = draftFrom(UpdateAccessPolicyApprovalProcedureRequestSchema, request)
      const procedure = await updateApprovalProcedure(scopeOf(context), { id: request.id, ...draft })
      return taggedAnswer(UpdateAccessPolicyApprovalProcedureResponseSchema, procedure, context)
    },
  }
}

type ProcedureRequest = CreateAccessPolicyApprovalProcedureRequest | UpdateAccessPolicyApprovalProcedureRequest
