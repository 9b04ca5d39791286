import type { Database } from '../db/database.js'
import type { Sql } from '../db/sql.js'
import { type FieldViolation, notFound, refuseViolations } from '../errors.js'
import { approverIdPath, justificationModeFrom, type StepDefinition } from './approval-step.js'
import { type PlacedStep, type TopologyDraft, topologyFrom } from './approval-topology.js'
import { auditInsert, auditParameters, type WriteContext } from './audit-statement.js'
import { type Caller, requirePermissionIn, visibleTeamIds } from './caller.js'

/** How long a step waits for a decision where nothing is said: 30 days, in seconds. */
export const DEFAULT_TIMEOUT_SECONDS = 2_592_000
const MIN_TIMEOUT_SECONDS = 300
const MAX_TIMEOUT_SECONDS = 7_776_000

/** A procedure to create; a timeout of 0 is the default. */
export interface ApprovalProcedureDraft extends TopologyDraft {
  readonly accessPolicyId: string
  readonly timeoutSeconds: number
}

/** How access under a policy is approved (spec, ApprovalProcedure). */
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
 * Creates a procedure for an access policy (spec, endpoint 2; decisions, section 5). Throws `RESOURCE_NOT_FOUND` for the
 * policy, `PERMISSION_MISSING` without `access:write` in its team, then the faults of the procedure:
 * `STEPS_OR_STAGES_REQUIRED`, `TOO_MANY_STEPS`, `FIELD_REQUIRED`, `FIELD_INVALID`, `STEPS_DIFFER_FROM_STAGES`,
 * `TIMEOUT_OUT_OF_RANGE`, `APPROVER_NOT_FOUND`.
 */
export async function createApprovalProcedure(
  database: Database,
  caller: Caller,
  draft: ApprovalProcedureDraft,
  context: WriteContext,
): Promise<ApprovalProcedure> {
  const { runtime, signal } = context
  return database.transaction(async (sql) => {
    const teamId = await lockPolicy(sql, caller, draft.accessPolicyId)
    const topology = topologyFrom(draft)
    refuseViolations([...topology.violations, ...timeoutViolations(draft.timeoutSeconds)])
    refuseViolations(await missingApprovers(sql, caller.organizationId, topology.steps))
    const procedure = {
      id: runtime.newId(),
      accessPolicyId: draft.accessPolicyId,
      timeoutSeconds: draft.timeoutSeconds === 0 ? DEFAULT_TIMEOUT_SECONDS : draft.timeoutSeconds,
    }
    const steps = topology.steps.map((step) => ({ ...step, id: runtime.newId() }))
    await insert(sql, caller, { ...procedure, teamId, steps }, context)
    return { ...procedure, stages: stagesOf(steps) }
  }, signal && { signal })
}

/** Judges the policy and keeps it in its team until the end of the transaction. */
async function lockPolicy(sql: Sql, caller: Caller, id: string): Promise<string> {
  const [policy] = await sql.query<{ teamId: string }>(
    `SELECT team_id AS "teamId" FROM access_policies
      WHERE id = $1 AND organization_id = $2 AND ($3::text[] IS NULL OR team_id = ANY ($3))
        FOR SHARE`,
    [id, caller.organizationId, visibleTeamIds(caller)],
    'lock_access_policy',
  )
  if (policy === undefined) throw notFound('access policy', id)
  requirePermissionIn(caller, policy.teamId, 'access:write')
  return policy.teamId
}

function timeoutViolations(timeoutSeconds: number): FieldViolation[] {
  const fits = timeoutSeconds >= MIN_TIMEOUT_SECONDS && timeoutSeconds <= MAX_TIMEOUT_SECONDS
  if (timeoutSeconds === 0 || fits) return []
  const description = `must be 0 or ${MIN_TIMEOUT_SECONDS} to ${MAX_TIMEOUT_SECONDS}`
  return [{ field: 'timeoutSeconds', description, reason: 'TIMEOUT_OUT_OF_RANGE' }]
}

/** Locks those that exist, in the order of their ids, so that they still do when the procedure names them. */
const lockApprovers = `
WITH known_users AS (
  SELECT user_id AS id FROM memberships
   WHERE organization_id = $1 AND user_id = ANY ($2) ORDER BY user_id FOR KEY SHARE
), known_groups AS (
  SELECT id FROM groups WHERE organization_id = $1 AND id = ANY ($3) ORDER BY id FOR KEY SHARE
)
SELECT 'USER' AS kind, id FROM known_users UNION ALL SELECT 'GROUP', id FROM known_groups`

async function missingApprovers(
  sql: Sql,
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
  const rows = await sql.query<{ kind: 'USER' | 'GROUP'; id: string }>(
    lockApprovers,
    [organizationId, idsOf('USER'), idsOf('GROUP')],
    'lock_approvers',
  )
  const known = { USER: new Set<string>(), GROUP: new Set<string>() }
  for (const { kind, id } of rows) known[kind].add(id)
  return named
    .filter(({ kind, id }) => !known[kind].has(id))
    .map(({ kind, field }) => ({
      field,
      description: `no such ${kind === 'USER' ? 'user' : 'group'} in the organization`,
      reason: 'APPROVER_NOT_FOUND',
    }))
}

const insertStatement = `
WITH created AS (
  INSERT INTO approval_procedures (id, organization_id, access_policy_id, timeout_seconds)
  VALUES ($1, $2, $3, $4)
  RETURNING id, organization_id, $5::text AS team_id, $6::uuid AS audit_event_id
), steps AS (
  INSERT INTO approval_steps (organization_id, procedure_id, id, stage_index, step_index, allow_self_approval,
                              approver_justification_mode, suppress_notifications, auto_approve_self, custom_workflow_id)
  SELECT $2, $1, s.*
    FROM unnest($7::text[], $8::int[], $9::int[], $10::boolean[], $11::approver_justification_mode[], $12::boolean[],
                $13::boolean[], $14::text[]) AS s
), approvers AS (
  INSERT INTO approval_step_approvers (organization_id, procedure_id, step_id, position, kind, user_id, group_id, notify)
  SELECT $2, $1, a.*
    FROM unnest($15::text[], $16::int[], $17::approver_kind[], $18::text[], $19::text[], $20::boolean[]) AS a
)
${auditInsert('created', { action: 'approval_procedure.create', targetType: 'approval_procedure' }, 21)}`

interface Insertion extends Pick<ApprovalProcedure, 'id' | 'accessPolicyId' | 'timeoutSeconds'> {
  readonly teamId: string
  readonly steps: readonly StepWithId[]
}

async function insert(sql: Sql, caller: Caller, created: Insertion, context: WriteContext): Promise<void> {
  const { id, accessPolicyId, timeoutSeconds, teamId, steps } = created
  const approvers = steps.flatMap(({ id: stepId, step }) =>
    step.approvers.map((approver, position) => ({ stepId, position, ...approver })),
  )
  await sql.execute(
    insertStatement,
    [
      ...[id, caller.organizationId, accessPolicyId, timeoutSeconds, teamId, context.runtime.newId()],
      steps.map((placed) => placed.id),
      steps.map(({ stageIndex }) => stageIndex),
      steps.map(({ stepIndex }) => stepIndex),
      steps.map(({ step }) => step.allowSelfApproval),
      steps.map(({ step }) => justificationModeFrom(step.approverJustificationMode)),
      steps.map(({ step }) => step.suppressNotifications),
      steps.map(({ step }) => step.autoApproveSelf),
      steps.map(({ step }) => step.customWorkflow?.workflowId ?? null),
      approvers.map(({ stepId }) => stepId),
      approvers.map(({ position }) => position),
      approvers.map(({ kind }) => kind),
      approvers.map(({ kind, userId }) => (kind === 'USER' ? userId : null)),
      approvers.map(({ kind, groupId }) => (kind === 'GROUP' ? groupId : null)),
      approvers.map(({ notify }) => notify),
      ...auditParameters(caller, context.requestId),
    ],
    'insert_approval_procedure',
  )
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
