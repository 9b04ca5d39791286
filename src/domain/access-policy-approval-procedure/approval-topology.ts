import { isDeepStrictEqual } from 'node:util'
import { type FieldViolation, invalidField } from '../../errors.js'
import { MAX_STEPS } from '../../limits/known-limits.js'
import { type StepDefinition, type StepDraft, stepFromDraft } from './approval-step.js'

/** Steps and stages as requested; empty lists mean absent. */
export interface TopologyDraft {
  readonly steps: readonly StepDraft[]
  readonly stages: readonly { readonly steps: readonly StepDraft[] }[]
}

/** A step at its place: its path in the request, its stage, its index in the stage. */
export interface PlacedStep {
  readonly path: string
  readonly stageIndex: number
  readonly stepIndex: number
  readonly step: StepDefinition
}

/** The stages of a procedure as a flat list in order. */
export interface Topology {
  readonly steps: readonly PlacedStep[]
  readonly violations: readonly FieldViolation[]
}

/**
 * The stages that a request asks for: its `stages`, else one stage for each of its `steps`. Throws
 * `STEPS_OR_STAGES_REQUIRED` or `TOO_MANY_STEPS`; `STEPS_DIFFER_FROM_STAGES` is in `violations`.
 */
export function topologyFrom({ steps, stages }: TopologyDraft): Topology {
  if (stages.length === 0) return topologyOfSteps(steps)
  if (stages.reduce((count, stage) => count + stage.steps.length, 0) > MAX_STEPS) {
    throw invalidField('stages', `must have at most ${MAX_STEPS} steps in total`, 'TOO_MANY_STEPS')
  }
  const placed = stages.flatMap((stage, stageIndex) =>
    stage.steps.map((draft, stepIndex) =>
      placedStep(`stages[${stageIndex}].steps[${stepIndex}]`, stageIndex, stepIndex, draft),
    ),
  )
  return { steps: placed, violations: steps.length === 0 ? [] : differences(steps, placed) }
}

function topologyOfSteps(drafts: readonly StepDraft[]): Topology {
  if (drafts.length === 0) {
    throw invalidField(
      'stages',
      'must have at least one stage when steps is empty: send stages or steps',
      'STEPS_OR_STAGES_REQUIRED',
    )
  }
  return { steps: drafts.map((draft, index) => placedStep(`steps[${index}]`, index, 0, draft)), violations: [] }
}

function placedStep(path: string, stageIndex: number, stepIndex: number, draft: StepDraft): PlacedStep {
  return { path, stageIndex, stepIndex, step: stepFromDraft(draft) }
}

/** What to do if the steps differ from the stages. */
const LEAVE_OUT = 'send the steps of the stages in the same order, or omit steps'

/** The first difference between the steps and the flat view of the stages. */
function differences(drafts: readonly StepDraft[], placed: readonly PlacedStep[]): FieldViolation[] {
  if (drafts.length !== placed.length) {
    return [differ('steps', `has ${drafts.length} steps, but the stages have ${placed.length}: ${LEAVE_OUT}`)]
  }
  for (const [index, draft] of drafts.entries()) {
    const given = stepFromDraft(draft)
    const other = placed[index]
    if (other === undefined || isDeepStrictEqual(given, other.step)) continue
    const field = stepFields.find((name) => !isDeepStrictEqual(given[name], other.step[name]))
    return [differ(`steps[${index}].${field}`, `differs from ${other.path}.${field}: ${LEAVE_OUT}`)]
  }
  return []
}

const stepFields = [
  'allowSelfApproval',
  'approvers',
  'customWorkflow',
  'approverJustificationMode',
  'suppressNotifications',
  'autoApproveSelf',
] as const satisfies readonly (keyof StepDefinition)[]

function differ(field: string, description: string): FieldViolation {
  return { field, description, reason: 'STEPS_DIFFER_FROM_STAGES' }
}
