import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { v7 } from 'uuid'
import type { Prisma, PrismaClient } from '../../../gen/prisma/client.js'
import { Refusal } from '../peer-app.js'
import { auditEvent } from './audit.js'
import { callerOf, notFound, requireIn } from './caller.js'

const DEFAULT_TIMEOUT_SECONDS = 2_592_000
const MAX_STEPS = 50

const none = { type: 'object', additionalProperties: false } as const
const id = { type: 'string', minLength: 1, maxLength: 128 } as const
const named = (name: string) => ({ ...none, required: [name], properties: { [name]: id } })

const approver = {
  ...none,
  properties: {
    appOwner: none,
    manager: none,
    user: named('userId'),
    group: named('groupId'),
    notify: { type: 'boolean', default: false },
  },
  oneOf: ['appOwner', 'manager', 'user', 'group'].map((kind) => ({ required: [kind] })),
}

const step = {
  ...none,
  properties: {
    id: { type: 'string' },
    allowSelfApproval: { type: 'boolean', default: true },
    approvers: { type: 'array', minItems: 1, maxItems: 1000, items: approver },
    customWorkflow: named('workflowId'),
    approverJustificationMode: { enum: ['', 'NONE', 'OPTIONAL', 'REQUIRED'], default: '' },
    suppressNotifications: { type: 'boolean', default: false },
    autoApproveSelf: { type: 'boolean', default: false },
  },
  oneOf: [{ required: ['approvers'] }, { required: ['customWorkflow'] }],
}
const steps = { type: 'array', minItems: 1, maxItems: MAX_STEPS, items: step }

const body = {
  ...none,
  properties: {
    steps,
    stages: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_STEPS,
      items: { ...none, required: ['steps'], properties: { steps } },
    },
    timeoutSeconds: { type: 'integer', anyOf: [{ const: 0 }, { minimum: 300, maximum: 7_776_000 }], default: 0 },
  },
  anyOf: [{ required: ['steps'] }, { required: ['stages'] }],
}

interface Approver {
  readonly appOwner?: object
  readonly manager?: object
  readonly user?: { readonly userId: string }
  readonly group?: { readonly groupId: string }
  readonly notify: boolean
}

interface Step {
  readonly id?: string
  readonly allowSelfApproval: boolean
  readonly approvers?: readonly Approver[]
  readonly customWorkflow?: { readonly workflowId: string }
  readonly approverJustificationMode: string
  readonly suppressNotifications: boolean
  readonly autoApproveSelf: boolean
}

interface Stage {
  readonly steps: readonly Step[]
}

interface Body {
  readonly steps?: readonly Step[]
  readonly stages?: readonly Stage[]
  readonly timeoutSeconds: number
}

/** Adds `POST /v2/access-policies/{access_policy_id}/approval-procedures`. */
export function addAccessRoutes(app: FastifyInstance, prisma: PrismaClient): void {
  app.post<{ Params: { policyId: string }; Body: Body }>(
    '/v2/access-policies/:policyId/approval-procedures',
    { schema: { body } },
    async (request) => {
      const caller = await callerOf(prisma, request)
      const { organizationId } = caller
      const { policyId: accessPolicyId } = request.params
      const stages = stagesOf(request.body)
      const procedureId = v7()
      const timeoutSeconds = request.body.timeoutSeconds || DEFAULT_TIMEOUT_SECONDS
      await prisma.$transaction(async (tx) => {
        const where = { organizationId_id: { organizationId, id: accessPolicyId } }
        const policy = await tx.accessPolicy.findUnique({ where, select: { teamId: true } })
        if (policy === null) throw notFound(`access policy ${accessPolicyId}`)
        const { teamId } = policy
        requireIn(caller, teamId, 'access:write', `access policy ${accessPolicyId}`)
        await requireApprovers(tx, organizationId, stages)
        const of = { organizationId, procedureId }
        await tx.approvalProcedure.create({
          data: { id: procedureId, organizationId, accessPolicyId, timeoutSeconds },
          select: { id: true },
        })
        await tx.approvalStep.createMany({ data: stepRows(of, stages) })
        await tx.approvalStepApprover.createMany({ data: approverRows(of, stages) })
        const audited = {
          action: 'approval_procedure.create',
          targetType: 'approval_procedure',
          targetId: procedureId,
          teamId,
        }
        await tx.auditEvent.create({ data: auditEvent(caller, request.id, audited), select: { id: true } })
      })
      const printed = stages.map((stage) => ({ steps: stage.steps.map(stepJson) }))
      return {
        data: {
          id: procedureId,
          accessPolicyId,
          steps: printed.flatMap((stage) => stage.steps),
          timeoutSeconds,
          stages: printed,
        },
      }
    },
  )
}

interface StepWithId extends Step {
  readonly id: string
}

type Stages = readonly { readonly steps: readonly StepWithId[] }[]

/** The stages of a request, each step with a new id. */
function stagesOf({ steps: given, stages = given?.map((each) => ({ steps: [each] })) ?? [] }: Body): Stages {
  const flat = stages.flatMap((stage) => stage.steps)
  if (flat.length > MAX_STEPS) throw new Refusal(400, 'invalid_argument', `more than ${MAX_STEPS} steps`)
  const withoutIds = (some: readonly Step[]) => some.map(({ id: _id, ...each }) => each)
  if (given !== undefined && !isDeepStrictEqual(withoutIds(given), withoutIds(flat))) {
    throw new Refusal(400, 'invalid_argument', 'steps must be those of the stages')
  }
  return stages.map((stage) => ({ steps: stage.steps.map((each) => ({ ...each, id: v7() })) }))
}

async function requireApprovers(tx: Prisma.TransactionClient, organizationId: string, stages: Stages): Promise<void> {
  const approvers = stages.flatMap((stage) => stage.steps.flatMap((each) => each.approvers ?? []))
  const userIds = new Set(approvers.flatMap(({ user }) => user?.userId ?? []))
  const groupIds = new Set(approvers.flatMap(({ group }) => group?.groupId ?? []))
  const users = userIds.size && (await tx.membership.count({ where: { organizationId, userId: { in: [...userIds] } } }))
  const groups = groupIds.size && (await tx.group.count({ where: { organizationId, id: { in: [...groupIds] } } }))
  if (users < userIds.size) throw new Refusal(400, 'invalid_argument', 'no such user in the organization')
  if (groups < groupIds.size) throw new Refusal(400, 'invalid_argument', 'no such group in the organization')
}

interface OfProcedure {
  readonly organizationId: string
  readonly procedureId: string
}

function stepRows(of: OfProcedure, stages: Stages): Prisma.ApprovalStepCreateManyInput[] {
  return stages.flatMap((stage, stageIndex) =>
    stage.steps.map((each, stepIndex) => ({
      ...of,
      id: each.id,
      stageIndex,
      stepIndex,
      allowSelfApproval: each.allowSelfApproval,
      justificationMode: each.approverJustificationMode,
      suppressNotifications: each.suppressNotifications,
      autoApproveSelf: each.autoApproveSelf,
      customWorkflowId: each.customWorkflow?.workflowId ?? null,
    })),
  )
}

function approverRows(of: OfProcedure, stages: Stages): Prisma.ApprovalStepApproverCreateManyInput[] {
  return stages.flatMap((stage) =>
    stage.steps.flatMap(({ id: stepId, approvers = [] }) =>
      approvers.map((each, position) => ({ ...of, stepId, position, notify: each.notify, ...approverColumns(each) })),
    ),
  )
}

function approverColumns({ appOwner, manager, user, group }: Approver) {
  if (appOwner !== undefined) return { kind: 'APP_OWNER' as const }
  if (manager !== undefined) return { kind: 'MANAGER' as const }
  if (user !== undefined) return { kind: 'USER' as const, userId: user.userId }
  return { kind: 'GROUP' as const, groupId: group?.groupId ?? null }
}

function stepJson({ approvers = [], ...each }: StepWithId) {
  return { ...each, approvers }
}
