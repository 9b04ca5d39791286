import { isDeepStrictEqual } from 'node:util'
import { type FieldViolation, invalidField } from '../../errors.js'
import { type StepDefinition, type StepDraft, stepFromDraft, stepViolations } from './approval-step.js'

/** The most steps of a procedure. */
const MAX_STEPS = 50

/** Steps and stages as requested; empty lists are absent. */
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
 * `STEPS_OR_STAGES_REQUIRED` or `TOO_MANY_STEPS`; what is wrong with stages and steps is in `violations`, and that is
 * where `STEPS_DIFFER_FROM_STAGES` comes last.
 */
export function topologyFrom({ steps, stages }: TopologyDraft): Topology {
  if (stages.length === 0) return topologyOfSteps(steps)
  if (stages.reduce((count, stage) => count + stage.steps.length, 0) > MAX_STEPS) throw tooManySteps('stages')
  const placed = stages.flatMap((stage, stageIndex) =>
    stage.steps.map((draft, stepIndex) =>
      placedStep(`stages[${stageIndex}].steps[${stepIndex}]`, stageIndex, stepIndex, draft),
    ),
  )
  const violations = [
    ...stages.flatMap((stage, index) => (stage.steps.length === 0 ? [emptyStage(index)] : [])),
    ...violationsOf(placed),
    ...(steps.length === 0 ? [] : differences(steps, placed)),
  ]
  return { steps: placed, violations }
}

function topologyOfSteps(drafts: readonly StepDraft[]): Topology {
  if (drafts.length === 0) {
    throw invalidField(
      'stages',
      'must have a stage where there are no steps: send stages or steps',
      'STEPS_OR_STAGES_REQUIRED',
    )
  }
  if (drafts.length > MAX_STEPS) throw tooManySteps('steps')
  const steps = drafts.map((draft, index) => placedStep(`steps[${index}]`, index, 0, draft))
  return { steps, violations: violationsOf(steps) }
}

function placedStep(path: string, stageIndex: number, stepIndex: number, draft: StepDraft): PlacedStep {
  return { path, stageIndex, stepIndex, step: stepFromDraft(draft) }
}

function violationsOf(steps: readonly PlacedStep[]): FieldViolation[] {
  return steps.flatMap(({ path, step }) => stepViolations(path, step))
}

/** What is right where the steps differ from the stages. */
const LEAVE_OUT = 'send the steps of the stages in order, or leave steps out'

function emptyStage(index: number): FieldViolation {
  return { field: `stages[${index}].steps`, description: 'must have at least one step', reason: 'FIELD_REQUIRED' }
}

/** The first place where the steps are not the flat view of the stages. */
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

function tooManySteps(field: string) {
  return invalidField(field, `must have at most ${MAX_STEPS} steps in all`, 'TOO_MANY_STEPS')
}
