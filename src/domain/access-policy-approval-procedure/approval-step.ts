import type { ApproverJustificationMode, ApproverKind } from '../../../gen/prisma/enums.js'
import type { FieldViolation } from '../../errors.js'
import { nameLimits, textViolations } from '../value/text-field.js'

/** The most approvers of a step. */
const MAX_APPROVERS = 1000

/** Who may approve; `kind` is absent where the request names none, the ids are empty where the kind has none. */
export interface Approver {
  readonly kind: ApproverKind | undefined
  readonly userId: string
  readonly groupId: string
  readonly notify: boolean
}

/** A step as requested. */
export interface StepDraft {
  /** Absent is true. */
  readonly allowSelfApproval?: boolean | undefined
  readonly approvers: readonly Approver[]
  readonly customWorkflow?: { readonly workflowId: string } | undefined
  readonly approverJustificationMode: string
  readonly suppressNotifications: boolean
  readonly autoApproveSelf: boolean
}

/** A step with its defaults filled in. */
export interface StepDefinition {
  readonly allowSelfApproval: boolean
  readonly approvers: readonly Approver[]
  readonly customWorkflow: { readonly workflowId: string } | undefined
  readonly approverJustificationMode: string
  readonly suppressNotifications: boolean
  readonly autoApproveSelf: boolean
}

/** What the API calls a justification mode, and how it is stored. */
const justificationModes: ReadonlyMap<string, ApproverJustificationMode> = new Map([
  ['', 'UNSET'],
  ['NONE', 'NONE'],
  ['OPTIONAL', 'OPTIONAL'],
  ['REQUIRED', 'REQUIRED'],
])

/** The stored form of a justification mode that the rules have let through. */
export function justificationModeFrom(text: string): ApproverJustificationMode {
  return justificationModes.get(text) ?? 'UNSET'
}

/** Fills in the defaults. */
export function stepFromDraft(draft: StepDraft): StepDefinition {
  return {
    allowSelfApproval: draft.allowSelfApproval ?? true,
    approvers: draft.approvers,
    customWorkflow: draft.customWorkflow,
    approverJustificationMode: draft.approverJustificationMode,
    suppressNotifications: draft.suppressNotifications,
    autoApproveSelf: draft.autoApproveSelf,
  }
}

/** What is wrong with a step (docs/resources.md); `at` is its path. Whether its approvers exist is not judged. */
export function stepViolations(at: string, step: StepDefinition): FieldViolation[] {
  const violations: FieldViolation[] = []
  if (step.approvers.length > 0 === (step.customWorkflow !== undefined)) {
    violations.push({
      field: at,
      description: 'must have either approvers (at least one) or customWorkflow, and not both',
      reason: 'FIELD_INVALID',
    })
  }
  if (step.customWorkflow !== undefined) {
    violations.push(...workflowViolations(`${at}.customWorkflow.workflowId`, step.customWorkflow.workflowId))
  }
  if (!justificationModes.has(step.approverJustificationMode)) {
    violations.push({
      field: `${at}.approverJustificationMode`,
      description: 'must be empty, NONE, OPTIONAL or REQUIRED',
      reason: 'FIELD_INVALID',
    })
  }
  if (step.approvers.length > MAX_APPROVERS) {
    const description = `must have at most ${MAX_APPROVERS} approvers`
    return [{ field: `${at}.approvers`, description, reason: 'FIELD_INVALID' }]
  }
  for (const [index, approver] of step.approvers.entries()) {
    violations.push(...approverViolations(`${at}.approvers[${index}]`, approver))
  }
  return violations
}

/** The path of the field of an approver that names a user or a group. */
export function approverIdPath(at: string, index: number, kind: 'USER' | 'GROUP'): string {
  return `${at}.approvers[${index}].${kind === 'USER' ? 'user.userId' : 'group.groupId'}`
}

function workflowViolations(field: string, workflowId: string): FieldViolation[] {
  return workflowId === '' ? [required(field)] : textViolations(field, workflowId, nameLimits)
}

function approverViolations(at: string, { kind, userId, groupId }: Approver): FieldViolation[] {
  switch (kind) {
    case undefined:
      return [
        { field: at, description: 'must have one of appOwner, manager, user and group', reason: 'FIELD_REQUIRED' },
      ]
    case 'APP_OWNER':
    case 'MANAGER':
      return []
    case 'USER':
      return userId === '' ? [required(`${at}.user.userId`)] : []
    case 'GROUP':
      return groupId === '' ? [required(`${at}.group.groupId`)] : []
  }
}

function required(field: string): FieldViolation {
  return { field, description: 'is required', reason: 'FIELD_REQUIRED' }
}
