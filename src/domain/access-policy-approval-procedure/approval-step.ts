import type { ApproverJustificationMode, ApproverKind } from '../../../gen/prisma/enums.js'

/** Who may approve; `kind` is absent if the request names none, and ids are empty if the kind has none. */
export interface Approver {
  readonly kind: ApproverKind | undefined
  readonly userId: string
  readonly groupId: string
  readonly notify: boolean
}

/** A step as requested. */
export interface StepDraft {
  /** Default: true. */
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

/** The API's names of the justification modes, and how they are stored; an empty one is unset. */
const justificationModes: ReadonlyMap<string, ApproverJustificationMode> = new Map([
  ['NONE', 'NONE'],
  ['OPTIONAL', 'OPTIONAL'],
  ['REQUIRED', 'REQUIRED'],
])

/** A step as it is stored, without its place and its approvers. */
export function storedStep({ approverJustificationMode, ...step }: StepDefinition) {
  return {
    allowSelfApproval: step.allowSelfApproval,
    // The limits of the schema let no other mode through.
    approverJustificationMode: justificationModes.get(approverJustificationMode) ?? 'UNSET',
    suppressNotifications: step.suppressNotifications,
    autoApproveSelf: step.autoApproveSelf,
    customWorkflowId: step.customWorkflow?.workflowId ?? null,
  }
}

/** The approvers of a step as they are stored. The limits of the schema let none without a kind through. */
export function storedApprovers({ approvers }: StepDefinition) {
  return approvers.flatMap(({ kind, userId, groupId, notify }) => {
    if (kind === undefined) return []
    return [{ kind, userId: kind === 'USER' ? userId : null, groupId: kind === 'GROUP' ? groupId : null, notify }]
  })
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

/** The path of the field of an approver that names a user or a group. */
export function approverIdPath(at: string, index: number, kind: 'USER' | 'GROUP'): string {
  return `${at}.approvers[${index}].${kind === 'USER' ? 'user.userId' : 'group.groupId'}`
}
