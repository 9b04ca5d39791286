import type { Approver, StepDraft } from '../../domain/access-policy-approval-procedure/approval-step.js'
import { type PlacedStep, topologyFrom } from '../../domain/access-policy-approval-procedure/approval-topology.js'
import { invalidField, invalidFields } from '../../errors.js'
import { idOf, requireDistinct } from '../field-values.js'

/** A step of an approval procedure in the JSON of the API. */
export interface ApprovalStep {
  readonly id: string
  readonly allowSelfApproval?: boolean
  readonly approvers: readonly ApproverJson[]
  readonly customWorkflow?: { readonly workflowId: string }
  readonly approverJustificationMode: string
  readonly suppressNotifications: boolean
  readonly autoApproveSelf: boolean
}

interface ApproverJson {
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

/**
 * The steps of a procedure in order, each with its place and the id that it came with, which may be empty. Throws a
 * ServiceError where a rule is broken (docs/resources.md).
 */
export function approvalStepsOf({
  steps,
  stages,
}: {
  readonly steps: readonly ApprovalStep[]
  readonly stages: readonly ApprovalStage[]
}): (PlacedStep & { readonly id: string })[] {
  const topology = topologyFrom({
    steps: steps.map(draftOf),
    stages: stages.map((stage) => ({ steps: stage.steps.map(draftOf) })),
  })
  const [violation] = topology.violations
  if (violation !== undefined) throw invalidFields([violation])
  const given = stages.length === 0 ? steps : stages.flatMap((stage) => stage.steps)
  const placed = topology.steps.map((step, index) => ({ ...step, id: given[index]?.id ?? '' }))
  requireStepIds(placed)
  for (const [index, { id }] of steps.entries()) {
    const other = placed[index]?.id ?? ''
    if (id !== '' && other !== '' && id !== other) {
      throw invalidField(`steps[${index}].id`, `differs from ${placed[index]?.path}.id`, 'STEPS_DIFFER_FROM_STAGES')
    }
  }
  return placed
}

function requireStepIds(placed: readonly { readonly id: string; readonly path: string }[]): void {
  const withIds = placed.filter(({ id }) => id !== '')
  for (const { id, path } of withIds) idOf(`${path}.id`, id)
  requireDistinct(
    withIds.map(({ id }) => id),
    (index) => `${withIds[index]?.path}.id`,
  )
}

function draftOf({ approvers, ...step }: ApprovalStep): StepDraft {
  return { ...step, customWorkflow: step.customWorkflow, approvers: approvers.map(approverOf) }
}

function approverOf({ appOwner, manager, user, group, notify }: ApproverJson): Approver {
  const ids = { userId: user?.userId ?? '', groupId: group?.groupId ?? '', notify }
  if (user !== undefined) return { kind: 'USER', ...ids }
  if (group !== undefined) return { kind: 'GROUP', ...ids }
  if (manager !== undefined) return { kind: 'MANAGER', ...ids }
  return { kind: appOwner === undefined ? undefined : 'APP_OWNER', ...ids }
}
