import type { Tables } from '../../db/tables.js'
import { type FieldViolation, notFound, refuseViolations } from '../../errors.js'
import { DEFAULT_TIMEOUT_SECONDS, idFault } from '../../limits/known-limits.js'
import {
  insertApprovalProcedure,
  lockAccessPolicy,
  lockKnownApprovers,
} from '../../store/access-policy-approval-procedure.js'
import { auditedCall, recordAuditEvents } from '../audit/audit-event.js'
import { type Caller, requirePermissionIn, visibleScope } from '../caller/caller.js'
import type { Scope } from '../caller/scope.js'
import { approverIdPath, storedApprovers, storedStep } from './approval-step.js'
import { type PlacedStep, type TopologyDraft, topologyFrom } from './approval-topology.js'

/**
 * A procedure to create; a timeout of 0 means the default. Limits of the schema that it breaks are reported with the
 * rest.
 */
export interface ApprovalProcedureDraft extends TopologyDraft {
  readonly accessPolicyId: string
  readonly timeoutSeconds: number
  readonly violations: readonly FieldViolation[]
}

/**
 * Creates a procedure for an access policy and returns its JSON (docs/resources.md). Throws `RESOURCE_NOT_FOUND` for
 * the policy, `PERMISSION_MISSING` without `access:write` in its team, then the faults of the procedure:
 * `STEPS_OR_STAGES_REQUIRED`, `TOO_MANY_STEPS`, the limits that the draft breaks, `STEPS_DIFFER_FROM_STAGES`,
 * `APPROVER_NOT_FOUND`.
 */
export async function createApprovalProcedure(scope: Scope, draft: ApprovalProcedureDraft): Promise<string> {
  const { tables, caller, runtime } = scope
  // A policy that is not named cannot be looked for.
  refuseViolations(draft.violations.filter(({ field }) => field === 'accessPolicyId'))
  return tables.transaction(async (transaction) => {
    const { organizationId } = caller
    const teamId = await lockPolicy(transaction, caller, draft.accessPolicyId)
    const topology = topologyFrom(draft)
    refuseViolations([...draft.violations, ...topology.violations])
    refuseViolations(await missingApprovers(transaction, organizationId, topology.steps))
    const procedureId = runtime.newId()
    const procedure = await insertApprovalProcedure(transaction, {
      id: procedureId,
      organizationId,
      accessPolicyId: draft.accessPolicyId,
      timeoutSeconds: draft.timeoutSeconds === 0 ? DEFAULT_TIMEOUT_SECONDS : draft.timeoutSeconds,
      steps: topology.steps.map(({ stageIndex, stepIndex, step }) => ({
        id: runtime.newId(),
        stageIndex,
        stepIndex,
        ...storedStep(step),
        approvers: storedApprovers(step),
      })),
    })
    const target = { targetType: 'approval_procedure', targetId: procedureId, teamId }
    await recordAuditEvents(
      transaction,
      [{ ...auditedCall(scope), action: 'approval_procedure.create', ...target }],
      runtime,
    )
    return procedure
  })
}

/** Checks access to the policy and keeps it in its team until the end of the transaction. */
async function lockPolicy(transaction: Tables, caller: Caller, id: string): Promise<string> {
  // A long text that cannot be an id is not worth sending to the database.
  const isId = idFault(id) === undefined
  const teamId = isId ? await lockAccessPolicy(transaction, id, visibleScope(caller)) : undefined
  if (teamId === undefined) throw notFound('access policy', id)
  requirePermissionIn(caller, teamId, 'access:write')
  return teamId
}

async function missingApprovers(
  transaction: Tables,
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
