import { isDeepStrictEqual } from 'node:util'
import { invalidField, ServiceError } from '../../errors.js'
import { optionalNameLimits } from '../text-field.js'
import { idOf, requireDistinct, textOf } from './field-values.js'

/** A step of an approval procedure in the JSON of the API. */
export interface ApprovalStep {
  readonly id: string
  readonly allowSelfApproval?: boolean
  readonly approvers: readonly Approver[]
  readonly customWorkflow?: { readonly workflowId: string }
  readonly approverJustificationMode: string
  readonly suppressNotifications: boolean
  readonly autoApproveSelf: boolean
}

interface Approver {
  readonly appOwner?: object
  readonly manager?: object
  readonly user?: { readonly userId: string }
  readonly group?: { readonly groupId: string }
  readonly notify: boolean
}

/** A stage of an approval procedure in the JSON of the API. */
export interface ApprovalStage {
  readonly steps: readonly ApprovalStep[]
}

const MAX_STEPS = 50
const justificationModes = new Set(['', 'NONE', 'OPTIONAL', 'REQUIRED'])

/** The stages of a procedure as given, or one for each step. Throws a ServiceError when a rule is broken (decisions, section 5). */
export function approvalStagesOf(record: {
  readonly steps: readonly ApprovalStep[]
  readonly stages: readonly ApprovalStage[]
}): readonly ApprovalStage[] {
  const { steps, stages } = record
  if (steps.length === 0 && stages.length === 0) {
    throw invalidField('stages', 'is required', 'STEPS_OR_STAGES_REQUIRED')
  }
  const all = stages.length === 0 ? steps : stages.flatMap((stage) => stage.steps)
  if (all.length > MAX_STEPS) throw invalidField('stages', `must have at most ${MAX_STEPS} steps`, 'TOO_MANY_STEPS')
  for (const [index, step] of steps.entries()) checkStep(`steps[${index}]`, step)
  for (const [index, stage] of stages.entries()) checkStage(`stages[${index}]`, stage)
  requireDistinct(
    all.flatMap(({ id }) => id || []),
    () => 'stages',
  )
  if (steps.length > 0 && stages.length > 0 && !areEqual(steps, all)) {
    throw new ServiceError('STEPS_DIFFER_FROM_STAGES', 'steps: must be the steps of the stages, in order')
  }
  return stages.length > 0 ? stages : steps.map((step) => ({ steps: [step] }))
}

function checkStage(field: string, { steps }: ApprovalStage): void {
  if (steps.length === 0) throw invalidField(`${field}.steps`, 'must not be empty')
  for (const [index, step] of steps.entries()) checkStep(`${field}.steps[${index}]`, step)
}

function checkStep(field: string, step: ApprovalStep): void {
  if (step.id !== '') idOf(`${field}.id`, step.id)
  if (!justificationModes.has(step.approverJustificationMode)) {
    throw invalidField(`${field}.approverJustificationMode`, 'must be empty, NONE, OPTIONAL or REQUIRED')
  }
  if (step.approvers.length > 0 === (step.customWorkflow !== undefined)) {
    throw invalidField(field, 'must have exactly one of approvers and customWorkflow')
  }
  if (step.customWorkflow !== undefined) {
    textOf(`${field}.customWorkflow.workflowId`, step.customWorkflow.workflowId, { ...optionalNameLimits, min: 1 })
  }
  for (const [index, approver] of step.approvers.entries()) checkApprover(`${field}.approvers[${index}]`, approver)
}

function checkApprover(field: string, { appOwner, manager, user, group }: Approver): void {
  const kinds = [appOwner, manager, user, group].filter((kind) => kind !== undefined)
  if (kinds.length !== 1) throw invalidField(field, 'must have exactly one of appOwner, manager, user and group')
  if (user !== undefined) idOf(`${field}.user.userId`, user.userId)
  if (group !== undefined) idOf(`${field}.group.groupId`, group.groupId)
}

/** Equality after defaults; an id that one side leaves out is no difference. */
function areEqual(steps: readonly ApprovalStep[], others: readonly ApprovalStep[]): boolean {
  if (steps.length !== others.length) return false
  return steps.every((step, index) => {
    const other = others[index]
    if (other === undefined || (step.id !== '' && other.id !== '' && step.id !== other.id)) return false
    return isDeepStrictEqual(withDefaults(step), withDefaults(other))
  })
}

function withDefaults({ allowSelfApproval = true, id: _, ...step }: ApprovalStep) {
  return { ...step, allowSelfApproval }
}
