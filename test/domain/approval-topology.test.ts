import { describe, expect, it } from '@jest/globals'
import {
  approverIdPath,
  type StepInput,
  stepFromInput,
  topologyFrom,
} from '../../src/domain/access-policy-approval-procedure.js'
import type { FieldViolation } from '../../src/errors.js'
import { MAX_STEPS } from '../../src/limits/known-limits.js'

const approver = (kind: 'appOwner' | 'manager' | undefined) => ({ kind: { case: kind }, notify: true })
const owner: StepInput = {
  approvers: [approver('appOwner')],
  approverJustificationMode: '',
  suppressNotifications: false,
  autoApproveSelf: false,
}
const workflow: StepInput = { ...owner, approvers: [], customWorkflow: { workflowId: 'w' } }
const steps = (count: number) => Array.from({ length: count }, () => owner)
const stages = (...counts: number[]) => counts.map((count) => ({ steps: steps(count) }))

describe('the steps of a procedure', () => {
  it('become one stage each if no stages are given', () => {
    expect(topologyFrom({ steps: [owner, workflow], stages: [] })).toEqual({
      steps: [
        { path: 'steps[0]', stageIndex: 0, stepIndex: 0, step: stepFromInput(owner) },
        { path: 'steps[1]', stageIndex: 1, stepIndex: 0, step: stepFromInput(workflow) },
      ],
      violations: [],
    })
  })

  it('are those of the stages, in order', () => {
    const drafts = { steps: [], stages: [{ steps: [owner, workflow] }, { steps: [] }, { steps: [workflow] }] }
    expect(topologyFrom(drafts)).toEqual({
      steps: [
        { path: 'stages[0].steps[0]', stageIndex: 0, stepIndex: 0, step: stepFromInput(owner) },
        { path: 'stages[0].steps[1]', stageIndex: 0, stepIndex: 1, step: stepFromInput(workflow) },
        { path: 'stages[2].steps[0]', stageIndex: 2, stepIndex: 0, step: stepFromInput(workflow) },
      ],
      violations: [],
    })
  })

  it('are required, directly or in stages', () => {
    expect(() => topologyFrom({ steps: [], stages: [] })).toThrow(
      expect.objectContaining({
        reason: 'STEPS_OR_STAGES_REQUIRED',
        message: 'stages: must have at least one stage when steps is empty: send stages or steps',
      }),
    )
  })

  it(`are limited to ${MAX_STEPS} across all stages`, () => {
    expect(topologyFrom({ steps: [], stages: stages(MAX_STEPS - 1, 1) }).steps).toHaveLength(MAX_STEPS)
    expect(() => topologyFrom({ steps: [], stages: stages(MAX_STEPS, 1) })).toThrow(
      expect.objectContaining({
        reason: 'TOO_MANY_STEPS',
        message: `stages: must have at most ${MAX_STEPS} steps in total`,
      }),
    )
  })

  const advice = 'send the steps of the stages in the same order, or omit steps'
  it.each<[name: string, steps: StepInput[], violation: Omit<FieldViolation, 'reason'> | undefined]>([
    ['none', [], undefined],
    ['the same', [owner, workflow], undefined],
    ['the same with the default spelled out', [{ ...owner, allowSelfApproval: true }, workflow], undefined],
    ['fewer', [owner], { field: 'steps', description: `has 1 steps, but the stages have 2: ${advice}` }],
    [
      'more',
      [owner, workflow, owner],
      { field: 'steps', description: `has 3 steps, but the stages have 2: ${advice}` },
    ],
    [
      'another order',
      [workflow, owner],
      { field: 'steps[0].approvers', description: `differs from stages[0].steps[0].approvers: ${advice}` },
    ],
    ...(
      [
        ['allowSelfApproval', false],
        ['approvers', [approver('manager')]],
        ['customWorkflow', { workflowId: 'x' }],
        ['approverJustificationMode', 'NONE'],
        ['suppressNotifications', true],
        ['autoApproveSelf', true],
      ] as const
    ).map(([field, value]): [string, StepInput[], Omit<FieldViolation, 'reason'>] => [
      `another ${field}`,
      [owner, { ...workflow, [field]: value }],
      { field: `steps[1].${field}`, description: `differs from stages[1].steps[0].${field}: ${advice}` },
    ]),
  ])('beside stages may be the same in the same order: %s', (_, given, violation) => {
    const { violations } = topologyFrom({ steps: given, stages: [{ steps: [owner] }, { steps: [workflow] }] })
    expect(violations).toEqual(violation === undefined ? [] : [{ ...violation, reason: 'STEPS_DIFFER_FROM_STAGES' }])
  })
})

describe('a step', () => {
  it.each([
    [undefined, true],
    [true, true],
    [false, false],
  ])('with self-approval %s allows it: %s', (allowSelfApproval, allowed) => {
    expect(stepFromInput({ ...owner, allowSelfApproval })).toEqual({
      allowSelfApproval: allowed,
      approvers: [{ kind: 'APP_OWNER', userId: null, groupId: null, notify: true }],
      customWorkflowId: null,
      justificationMode: '',
      suppressNotifications: false,
      autoApproveSelf: false,
    })
  })

  it.each([[''], ['NONE'], ['whenever it seems right']])(
    'with the justification mode %j is stored with it',
    (approverJustificationMode) => {
      const flags = { allowSelfApproval: false, suppressNotifications: true, autoApproveSelf: true }
      const step: StepInput = { ...flags, approverJustificationMode, approvers: [], customWorkflow: undefined }
      expect(stepFromInput(step)).toEqual({
        ...flags,
        justificationMode: approverJustificationMode,
        customWorkflowId: null,
        approvers: [],
      })
      expect(stepFromInput({ ...step, customWorkflow: { workflowId: 'w' } }).customWorkflowId).toBe('w')
    },
  )

  it("stores the fields of each approver's kind", () => {
    const approvers: StepInput['approvers'] = [
      { kind: { case: 'user', value: { userId: 'a' } }, notify: true },
      { kind: { case: 'group', value: { groupId: 'b' } }, notify: true },
      approver('manager'),
      approver(undefined),
    ]
    expect(stepFromInput({ ...owner, approvers }).approvers).toEqual([
      { kind: 'USER', userId: 'a', groupId: null, notify: true },
      { kind: 'GROUP', userId: null, groupId: 'b', notify: true },
      { kind: 'MANAGER', userId: null, groupId: null, notify: true },
    ])
  })

  it('names the field of an approver after its kind', () => {
    expect(approverIdPath('steps[1]', 2, 'USER')).toBe('steps[1].approvers[2].user.userId')
    expect(approverIdPath('steps[1]', 2, 'GROUP')).toBe('steps[1].approvers[2].group.groupId')
  })
})
