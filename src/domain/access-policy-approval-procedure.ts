import { isDeepStrictEqual } from 'node:util'
import type { Tables } from '../db/tables.js'
import { type FieldViolation, invalidField, refuseViolations } from '../errors.js'
import { DEFAULT_TIMEOUT_SECONDS, MAX_STEPS } from '../limits/known-limits.js'
import * as store from '../store/access-policy-approval-procedure.js'
import type { PrintedObject } from '../store/resource/print.js'
import type { CallContext } from './caller/caller.js'
import { createObject, updateObject } from './standard-methods.js'
import { ofOwner, standardResource } from './standard-resource.js'

/** A step as the API has it. */
export interface StepInput {
  /** Default: true. */
  readonly allowSelfApproval?: boolean | undefined
  readonly approvers: readonly ApproverInput[]
  readonly customWorkflow?: { readonly workflowId: string } | undefined
  /** Empty if unset. */
  readonly approverJustificationMode: string
  readonly suppressNotifications: boolean
  readonly autoApproveSelf: boolean
}

interface ApproverInput {
  readonly kind:
    | { readonly case: 'user'; readonly value: { readonly userId: string } }
    | { readonly case: 'group'; readonly value: { readonly groupId: string } }
    | { readonly case: 'appOwner' | 'manager' | undefined }
  readonly notify: boolean
}

type Step = Omit<store.StoredStep, 'id' | 'stageIndex' | 'stepIndex'>

const approverKinds = { appOwner: 'APP_OWNER', manager: 'MANAGER', user: 'USER', group: 'GROUP' } as const

/** A step as it is stored. The limits of the schema let no approver without a kind through. */
export function stepFromInput({ allowSelfApproval = true, approvers, customWorkflow, ...input }: StepInput): Step {
  return {
    allowSelfApproval,
    approvers: approvers.flatMap(({ kind, notify }) => {
      if (kind.case === undefined) return []
      const userId = kind.case === 'user' ? kind.value.userId : null
      const groupId = kind.case === 'group' ? kind.value.groupId : null
      return [{ kind: approverKinds[kind.case], userId, groupId, notify }]
    }),
    customWorkflowId: customWorkflow?.workflowId ?? null,
    justificationMode: input.approverJustificationMode,
    suppressNotifications: input.suppressNotifications,
    autoApproveSelf: input.autoApproveSelf,
  }
}

/**
 * A procedure as requested; empty lists mean absent, and a timeout of 0 the default. Limits of the schema that it
 * breaks are reported with the rest.
 */
export interface ApprovalProcedureDraft {
  readonly accessPolicyId: string
  readonly steps: readonly StepInput[]
  readonly stages: readonly { readonly steps: readonly StepInput[] }[]
  readonly timeoutSeconds: number
  readonly violations: readonly FieldViolation[]
}

export const approvalProcedures = standardResource(store.approvalProcedureStore)

/**
 * Creates a procedure for an access policy and returns it (docs/resources.md). Throws `RESOURCE_NOT_FOUND` for
 * the policy, `PERMISSION_MISSING` without `access:write` in its team, then the faults of the procedure:
 * `STEPS_OR_STAGES_REQUIRED`, `TOO_MANY_STEPS`, the limits that the draft breaks, `STEPS_DIFFER_FROM_STAGES`,
 * `APPROVER_NOT_FOUND`.
 */
export async function createApprovalProcedure(
  context: CallContext,
  draft: ApprovalProcedureDraft,
): Promise<PrintedObject> {
  requireNames(draft)
  const { accessPolicyId } = draft
  return createObject(context, approvalProcedures, { accessPolicyId }, async (transaction) => {
    return { accessPolicyId, ...(await settledProcedure(context, transaction, draft, [])) }
  })
}

/**
 * Replaces the timeout and the stages of a procedure and returns it; steps that stay as they are keep their ids.
 * Throws what `createApprovalProcedure` throws, for the procedure instead of the policy, and `ETAG_MISMATCH`.
 */
export async function updateApprovalProcedure(
  context: CallContext,
  { id, ...draft }: ApprovalProcedureDraft & { readonly id: string },
): Promise<PrintedObject> {
  requireNames(draft)
  const resource = ofOwner(approvalProcedures, draft.accessPolicyId)
  return updateObject(context, resource, id, (before, _, transaction) =>
    settledProcedure(context, transaction, draft, before.steps),
  )
}

/** Refuses a draft whose ids are missing or invalid, since they cannot be looked up. */
function requireNames({ violations }: ApprovalProcedureDraft): void {
  refuseViolations(violations.filter(({ field }) => field === 'accessPolicyId' || field === 'id'))
}

/** The procedure that a request asks for, once its rules are checked; a step that equals an old one has its id. */
async function settledProcedure(
  { caller, runtime }: CallContext,
  transaction: Tables,
  draft: ApprovalProcedureDraft,
  old: readonly store.StoredStep[],
): Promise<{ readonly timeoutSeconds: number; readonly steps: readonly store.StoredStep[] }> {
  const topology = topologyFrom(draft)
  refuseViolations([...draft.violations, ...topology.violations])
  refuseViolations(await missingApprovers(transaction, caller.organizationId, topology.steps))
  const left = [...old]
  const steps = topology.steps.map(({ stageIndex, stepIndex, step }) => {
    const index = left.findIndex((each) => isDeepStrictEqual({ ...each, ...step }, each))
    const [same] = index < 0 ? [] : left.splice(index, 1)
    return { id: same?.id ?? runtime.newId(), stageIndex, stepIndex, ...step }
  })
  return { timeoutSeconds: draft.timeoutSeconds || DEFAULT_TIMEOUT_SECONDS, steps }
}

async function missingApprovers(
  transaction: Tables,
  organizationId: string,
  steps: readonly PlacedStep[],
): Promise<FieldViolation[]> {
  const named = steps.flatMap(({ path, step }) =>
    step.approvers.flatMap(({ kind, userId, groupId }, index) => {
      const id = userId ?? groupId
      return (kind === 'USER' || kind === 'GROUP') && id !== null
        ? [{ kind, id, field: approverIdPath(path, index, kind) }]
        : []
    }),
  )
  if (named.length === 0) return []
  const idsOf = (wanted: 'USER' | 'GROUP') => named.flatMap(({ kind, id }) => (kind === wanted ? [id] : []))
  const ids = { USER: idsOf('USER'), GROUP: idsOf('GROUP') }
  const known = await store.lockKnownApprovers(transaction, organizationId, ids)
  return named
    .filter(({ kind, id }) => !known[kind].has(id))
    .map(({ kind, field }) => {
      const noun = kind === 'USER' ? 'user' : 'group'
      const description = `no such ${noun} in the organization: send the id of one of its ${noun}s`
      return { field, description, reason: 'APPROVER_NOT_FOUND' }
    })
}

/** A step at its place: its path in the request, its stage, its index in the stage. */
export interface PlacedStep {
  readonly path: string
  readonly stageIndex: number
  readonly stepIndex: number
  readonly step: Step
}

/**
 * The stages that a request asks for, as a flat list in order: its `stages`, else one stage for each of its `steps`.
 * Throws `STEPS_OR_STAGES_REQUIRED` or `TOO_MANY_STEPS`; `STEPS_DIFFER_FROM_STAGES` is in `violations`.
 */
export function topologyFrom({ steps, stages }: Pick<ApprovalProcedureDraft, 'steps' | 'stages'>) {
  if (stages.length === 0) {
    if (steps.length > 0) {
      return { steps: steps.map((input, index) => placedStep(`steps[${index}]`, index, 0, input)), violations: [] }
    }
    const description = 'must have at least one stage when steps is empty: send stages or steps'
    throw invalidField('stages', description, 'STEPS_OR_STAGES_REQUIRED')
  }
  const placed = stages.flatMap((stage, stageIndex) =>
    stage.steps.map((input, stepIndex) =>
      placedStep(`stages[${stageIndex}].steps[${stepIndex}]`, stageIndex, stepIndex, input),
    ),
  )
  if (placed.length > MAX_STEPS) {
    throw invalidField('stages', `must have at most ${MAX_STEPS} steps in total`, 'TOO_MANY_STEPS')
  }
  return { steps: placed, violations: steps.length === 0 ? [] : differences(steps, placed) }
}

function placedStep(path: string, stageIndex: number, stepIndex: number, input: StepInput): PlacedStep {
  return { path, stageIndex, stepIndex, step: stepFromInput(input) }
}

/** The first difference between the steps and the flat view of the stages. */
function differences(inputs: readonly StepInput[], placed: readonly PlacedStep[]): FieldViolation[] {
  const differ = (field: string, difference: string): FieldViolation[] => {
    const description = `${difference}: send the steps of the stages in the same order, or omit steps`
    return [{ field, description, reason: 'STEPS_DIFFER_FROM_STAGES' }]
  }
  if (inputs.length !== placed.length) {
    return differ('steps', `has ${inputs.length} steps, but the stages have ${placed.length}`)
  }
  for (const [index, { path, step }] of placed.entries()) {
    const given: Partial<Step> = inputs[index] === undefined ? {} : stepFromInput(inputs[index])
    const [column] =
      Object.entries(step).find(([name, value]) => !isDeepStrictEqual(Reflect.get(given, name), value)) ?? []
    const field = column?.replace(/Id$/, '').replace('justificationMode', 'approverJustificationMode')
    if (field !== undefined) return differ(`steps[${index}].${field}`, `differs from ${path}.${field}`)
  }
  return []
}

export function approverIdPath(at: string, index: number, kind: 'USER' | 'GROUP'): string {
  return `${at}.approvers[${index}].${kind === 'USER' ? 'user.userId' : 'group.groupId'}`
}
