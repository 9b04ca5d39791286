import { Prisma } from '../../gen/prisma/client.js'
import type {
  AccessPolicyModel,
  ApprovalProcedureModel,
  ApprovalStepApproverModel,
  ApprovalStepModel,
} from '../../gen/prisma/models.js'
import type { Transaction } from '../db/queryable.js'
import { createStatement } from '../db/statement.js'
import { inTeams, type Scope } from './scope.js'

const lockPolicy = createStatement<Scope & { readonly id: string }, Pick<AccessPolicyModel, 'teamId'>>({
  name: 'lock_access_policy',
  reason: 'lock',
  columns: { teamId: 'text' },
  text: ({ id, organizationId, teamIds }) => Prisma.sql`
SELECT team_id AS "teamId" FROM access_policies
 WHERE id = ${id} AND organization_id = ${organizationId} AND ${inTeams(Prisma.sql`team_id`, teamIds)}
   FOR SHARE`,
})

interface NamedApprovers {
  readonly organizationId: string
  readonly userIds: readonly string[]
  readonly groupIds: readonly string[]
}

/** An approver that exists. */
export interface KnownApprover {
  readonly kind: 'USER' | 'GROUP'
  readonly id: string
}

const lockApprovers = createStatement<NamedApprovers, KnownApprover>({
  name: 'lock_approvers',
  reason: 'lock',
  columns: { kind: 'text', id: 'text' },
  text: ({ organizationId, userIds, groupIds }) => Prisma.sql`
WITH known_users AS (
  SELECT user_id AS id FROM memberships
   WHERE organization_id = ${organizationId} AND user_id = ANY (${userIds}) ORDER BY user_id FOR KEY SHARE
), known_groups AS (
  SELECT id FROM groups WHERE organization_id = ${organizationId} AND id = ANY (${groupIds}) ORDER BY id FOR KEY SHARE
)
SELECT 'USER' AS kind, id FROM known_users UNION ALL SELECT 'GROUP', id FROM known_groups`,
})

/** What every part of a procedure says of it. */
type ProcedureOfPart = Pick<ApprovalStepModel, 'organizationId' | 'procedureId'>

/** A step of a procedure that is to be kept. */
export type NewApprovalStep = Omit<ApprovalStepModel, keyof ProcedureOfPart>

/** An approver of one of its steps. */
export type NewApprover = Omit<ApprovalStepApproverModel, keyof ProcedureOfPart>

/** The rows of a set as lists by column. */
type Lists<Row> = { readonly [Column in keyof Row]: readonly Row[Column][] }

const insertSteps = createStatement<ProcedureOfPart & Lists<NewApprovalStep>, Record<never, never>>({
  name: 'insert_approval_steps',
  reason: 'set',
  columns: {},
  text: (steps) => Prisma.sql`
INSERT INTO approval_steps (organization_id, procedure_id, id, stage_index, step_index, allow_self_approval,
                            approver_justification_mode, suppress_notifications, auto_approve_self, custom_workflow_id)
SELECT ${steps.organizationId}, ${steps.procedureId}, s.*
  FROM unnest(${steps.id}::text[], ${steps.stageIndex}::int[], ${steps.stepIndex}::int[],
              ${steps.allowSelfApproval}::boolean[], ${steps.approverJustificationMode}::approver_justification_mode[],
              ${steps.suppressNotifications}::boolean[], ${steps.autoApproveSelf}::boolean[],
              ${steps.customWorkflowId}::text[]) AS s`,
})

const insertApprovers = createStatement<ProcedureOfPart & Lists<NewApprover>, Record<never, never>>({
  name: 'insert_approvers',
  reason: 'set',
  columns: {},
  text: (approvers) => Prisma.sql`
INSERT INTO approval_step_approvers (organization_id, procedure_id, step_id, position, kind, user_id, group_id, notify)
SELECT ${approvers.organizationId}, ${approvers.procedureId}, a.*
  FROM unnest(${approvers.stepId}::text[], ${approvers.position}::int[], ${approvers.kind}::approver_kind[],
              ${approvers.userId}::text[], ${approvers.groupId}::text[], ${approvers.notify}::boolean[]) AS a`,
})

/** The statements of this file. */
export const accessPolicyApprovalProcedureStatements = [lockPolicy, lockApprovers, insertSteps, insertApprovers]

/** The team of a policy that is in the scope; the policy stays in it until the end of the transaction. */
export async function lockAccessPolicy(
  transaction: Transaction,
  id: string,
  scope: Scope,
): Promise<string | undefined> {
  const [policy] = await transaction.run(lockPolicy, { id, ...scope })
  return policy?.teamId
}

/** Those of the approvers that exist, locked in the order of their ids, so that they still do when a step names them. */
export function lockKnownApprovers(transaction: Transaction, named: NamedApprovers): Promise<KnownApprover[]> {
  return transaction.run(lockApprovers, named)
}

/** A procedure to be kept, with its steps and their approvers. */
export interface NewApprovalProcedure
  extends Pick<ApprovalProcedureModel, 'id' | 'organizationId' | 'accessPolicyId' | 'timeoutSeconds'> {
  readonly steps: readonly NewApprovalStep[]
  readonly approvers: readonly NewApprover[]
}

/** Keeps a procedure with its steps and their approvers. */
export async function insertApprovalProcedure(
  { models, run }: Transaction,
  { steps, approvers, ...procedure }: NewApprovalProcedure,
): Promise<void> {
  await models.approvalProcedure.create({ data: procedure, select: { id: true } })
  const owner = { organizationId: procedure.organizationId, procedureId: procedure.id }
  const columnOfSteps = <Column extends keyof NewApprovalStep>(column: Column) => steps.map((step) => step[column])
  await run(insertSteps, {
    ...owner,
    id: columnOfSteps('id'),
    stageIndex: columnOfSteps('stageIndex'),
    stepIndex: columnOfSteps('stepIndex'),
    allowSelfApproval: columnOfSteps('allowSelfApproval'),
    approverJustificationMode: columnOfSteps('approverJustificationMode'),
    suppressNotifications: columnOfSteps('suppressNotifications'),
    autoApproveSelf: columnOfSteps('autoApproveSelf'),
    customWorkflowId: columnOfSteps('customWorkflowId'),
  })
  const columnOfApprovers = <Column extends keyof NewApprover>(column: Column) => approvers.map((each) => each[column])
  await run(insertApprovers, {
    ...owner,
    stepId: columnOfApprovers('stepId'),
    position: columnOfApprovers('position'),
    kind: columnOfApprovers('kind'),
    userId: columnOfApprovers('userId'),
    groupId: columnOfApprovers('groupId'),
    notify: columnOfApprovers('notify'),
  })
}
