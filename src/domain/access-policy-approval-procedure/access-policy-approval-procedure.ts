import type { PreparedTransaction, Store } from '../../db/queryable.js'
import { type FieldViolation, notFound, refuseViolations } from '../../errors.js'
import {
  insertApprovalProcedure,
  lockAccessPolicy,
  lockKnownApprovers,
} from '../../store/access-policy-approval-procedure.js'
import { auditedCall, type WriteContext } from '../audit/audit-statement.js'
import { type Caller, requirePermissionIn, visibleScope } from '../caller/caller.js'
import { idFormat } from '../value/text-field.js'
import { type Approver, approverIdPath, justificationModeFrom, type StepDefinition } from './approval-step.js'
import { type PlacedStep, type TopologyDraft, topologyFrom } from './approval-topology.js'

/** How long a step waits for a decision where nothing is said: 30 days, in seconds. */
export const DEFAULT_TIMEOUT_SECONDS = 2_592_000
const MIN_TIMEOUT_SECONDS = 300
const MAX_TIMEOUT_SECONDS = 7_776_000

/** A procedure to create; a timeout of 0 is the default. */
export interface ApprovalProcedureDraft extends TopologyDraft {
  readonly accessPolicyId: string
  readonly timeoutSeconds: number
}

/** How access under a policy is approved. */
export interface ApprovalProcedure {
  readonly id: string
  readonly accessPolicyId: string
  readonly timeoutSeconds: number
  readonly stages: readonly { readonly steps: readonly ApprovalStep[] }[]
}

/** A step with the id that it got. */
export interface ApprovalStep extends StepDefinition {
  readonly id: string
}

type StepWithId = PlacedStep & { readonly id: string }

/**
 * Creates a procedure for an access policy (docs/resources.md). Throws `RESOURCE_NOT_FOUND` for the policy,
 * `PERMISSION_MISSING` without `access:write` in its team, then the faults of the procedure:
 * `STEPS_OR_STAGES_REQUIRED`, `TOO_MANY_STEPS`, `FIELD_REQUIRED`, `FIELD_INVALID`, `STEPS_DIFFER_FROM_STAGES`,
 * `TIMEOUT_OUT_OF_RANGE`, `APPROVER_NOT_FOUND`.
 */
export async function createApprovalProcedure(
  store: Pick<Store, 'preparedTransaction'>,
  caller: Caller,
  draft: ApprovalProcedureDraft,
  context: WriteContext,
): Promise<ApprovalProcedure> {
  const { runtime } = context
  return store.preparedTransaction(async (transaction) => {
    const teamId = await lockPolicy(transaction, caller, draft.accessPolicyId)
    const topology = topologyFrom(draft)
    refuseViolations([...topology.violations, ...timeoutViolations(draft.timeoutSeconds)])
    refuseViolations(await missingApprovers(transaction, caller.organizationId, topology.steps))
    const procedure = {
      id: runtime.newId(),
      accessPolicyId: draft.accessPolicyId,
      timeoutSeconds: draft.timeoutSeconds === 0 ? DEFAULT_TIMEOUT_SECONDS : draft.timeoutSeconds,
    }
    const steps = topology.steps.map((step) => ({ ...step, id: runtime.newId() }))
    await insert(transaction, caller, { ...procedure, teamId, steps }, context)
    return { ...procedure, stages: stagesOf(steps) }
  }, context)
}

/** Judges the policy and keeps it in its team until the end of the transaction. */
async function lockPolicy(transaction: PreparedTransaction, caller: Caller, id: string): Promise<string> {
  // Sending a long text that is no id costs more than knowing that none has it.
  const teamId = idFormat.test(id) ? await lockAccessPolicy(transaction, id, visibleScope(caller)) : undefined
  if (teamId === undefined) throw notFound('access policy', id)
  requirePermissionIn(caller, teamId, 'access:write')
  return teamId
}

function timeoutViolations(timeoutSeconds: number): FieldViolation[] {
  const fits = timeoutSeconds >= MIN_TIMEOUT_SECONDS && timeoutSeconds <= MAX_TIMEOUT_SECONDS
  if (timeoutSeconds === 0 || fits) return []
  const description = `must be 0 or ${MIN_TIMEOUT_SECONDS} to ${MAX_TIMEOUT_SECONDS}`
  return [{ field: 'timeoutSeconds', description, reason: 'TIMEOUT_OUT_OF_RANGE' }]
}

async function missingApprovers(
  transaction: PreparedTransaction,
  organizationId: string,
  steps: readonly PlacedStep[],
): Promise<FieldViolation[]> {
  const named = steps.flatMap(({ path, step }) =>
    step.approvers.flatMap(({ kind, userId, groupId }, index) =>
      kind === 'USER' || kind === 'GROUP'
        ? [{ kind, id: kind === 'USER' ? userId : groupId, field: approverIdPath(path, index, kind) }]
        : [],
    ),
  )
  if (named.length === 0) return []
  const idsOf = (wanted: 'USER' | 'GROUP') => named.flatMap(({ kind, id }) => (kind === wanted ? [id] : []))
  const rows = await lockKnownApprovers(transaction, {
    organizationId,
    userIds: idsOf('USER'),
    groupIds: idsOf('GROUP'),
  })
  const known = { USER: new Set<string>(), GROUP: new Set<string>() }
  for (const { kind, id } of rows) known[kind].add(id)
  return named
    .filter(({ kind, id }) => !known[kind].has(id))
    .map(({ kind, field }) => {
      const noun = kind === 'USER' ? 'user' : 'group'
      const description = `no such ${noun} in the organization: send the id of one of its ${noun}s`
      return { field, description, reason: 'APPROVER_NOT_FOUND' }
    })
}

interface Insertion extends Pick<ApprovalProcedure, 'id' | 'accessPolicyId' | 'timeoutSeconds'> {
  readonly teamId: string
  readonly steps: readonly StepWithId[]
}

async function insert(
  transaction: PreparedTransaction,
  caller: Caller,
  { teamId, steps, ...procedure }: Insertion,
  { runtime, requestId }: WriteContext,
): Promise<void> {
  const { organizationId } = caller
  await insertApprovalProcedure(transaction, {
    ...{ ...procedure, organizationId, teamId, auditEventId: runtime.newId() },
    ...auditedCall(caller, requestId),
    steps: steps.map(({ id, stageIndex, stepIndex, step }) => ({
      ...{ id, stageIndex, stepIndex, allowSelfApproval: step.allowSelfApproval },
      approverJustificationMode: justificationModeFrom(step.approverJustificationMode),
      suppressNotifications: step.suppressNotifications,
      autoApproveSelf: step.autoApproveSelf,
      customWorkflowId: step.customWorkflow?.workflowId ?? null,
    })),
    approvers: steps.flatMap(({ id: stepId, step }) =>
      step.approvers.flatMap((approver, position) => approverToStore(approver, { stepId, position })),
    ),
  })
}

/** The rules have let no approver without a kind through. */
function approverToStore({ kind, userId, groupId, notify }: Approver, place: { stepId: string; position: number }) {
  if (kind === undefined) return []
  return [
    { ...place, kind, userId: kind === 'USER' ? userId : null, groupId: kind === 'GROUP' ? groupId : null, notify },
  ]
}

/** Steps stand in the order of their stages, and no stage is empty. */
function stagesOf(steps: readonly StepWithId[]): { steps: ApprovalStep[] }[] {
  const stages: { steps: ApprovalStep[] }[] = []
  for (const { id, stageIndex, step } of steps) {
    stages[stageIndex] ??= { steps: [] }
    stages[stageIndex].steps.push({ id, ...step })
  }
  return stages
}
