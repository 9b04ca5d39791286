import { Prisma } from '../../gen/prisma/client.js'
import type {
  AccessPolicyModel,
  ApprovalProcedureModel,
  ApprovalStepApproverModel,
  ApprovalStepModel,
} from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import {
  ApprovalProcedureSchema,
  Approver_GroupSchema,
  Approver_UserSchema,
  ApproverSchema,
  CustomWorkflowSchema,
  StepSchema,
} from '../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { type PrintedRow, rowText } from './resource/print.js'
import { declareResource } from './resource/resource.js'
import { itemsText, listText } from './resource/text.js'
import { inTeams, ofOrganization, type Scope } from './scope.js'

const approverResource = declareResource(ApproverSchema, schema.ApprovalStepApprover, 'a', {
  appOwner: { kind: 'elsewhere', sql: Prisma.sql`CASE a.kind WHEN 'APP_OWNER' THEN '{}' END` },
  manager: { kind: 'elsewhere', sql: Prisma.sql`CASE a.kind WHEN 'MANAGER' THEN '{}' END` },
  user: {
    kind: 'columns',
    presence: 'user_id',
    resource: declareResource(Approver_UserSchema, schema.ApprovalStepApprover, 'a'),
  },
  group: {
    kind: 'columns',
    presence: 'group_id',
    resource: declareResource(Approver_GroupSchema, schema.ApprovalStepApprover, 'a'),
  },
})

const stepResource = declareResource(StepSchema, schema.ApprovalStep, 'x', {
  approvers: { kind: 'elsewhere', sql: Prisma.sql`coalesce(approvers.list, '[]')` },
  customWorkflow: {
    kind: 'columns',
    presence: 'custom_workflow_id',
    resource: declareResource(CustomWorkflowSchema, schema.ApprovalStep, 'x', { workflowId: 'custom_workflow_id' }),
  },
  approverJustificationMode: {
    kind: 'column',
    name: 'approver_justification_mode',
    read: Prisma.sql`replace(x.approver_justification_mode::text, 'UNSET', '')`,
  },
})

/** Approval procedures; a query joins them with the flow of their steps. */
export const approvalProcedureResource = declareResource(ApprovalProcedureSchema, schema.ApprovalProcedure, 'p', {
  steps: { kind: 'elsewhere', sql: Prisma.sql`coalesce(flow.steps, '[]')` },
  stages: { kind: 'elsewhere', sql: Prisma.sql`coalesce(flow.stages, '[]')` },
})

const approversText = listText(rowText(approverResource), Prisma.sql`a.position`)

/** The steps of each procedure, and the same in stages. The query of the steps calls them `x`. */
const flowOf = (steps: Prisma.Sql) => Prisma.sql`
  SELECT stage.organization_id, stage.procedure_id,
         '[' || string_agg(stage.items, ',' ORDER BY stage.stage_index) || ']' AS steps,
         '[' || string_agg('{"steps":[' || stage.items || ']}', ',' ORDER BY stage.stage_index) || ']' AS stages
    FROM (
      SELECT x.organization_id, x.procedure_id, x.stage_index,
             ${itemsText(rowText(stepResource), Prisma.sql`x.step_index`)} AS items
        FROM approval_steps x ${steps}
       GROUP BY x.organization_id, x.procedure_id, x.stage_index
    ) stage
   GROUP BY stage.organization_id, stage.procedure_id`

const approvalFlow = Prisma.sql`
  LEFT JOIN LATERAL (${flowOf(Prisma.sql`
       CROSS JOIN LATERAL (
         SELECT ${approversText} AS list FROM approval_step_approvers a
          WHERE ${ofOrganization('a')} AND a.procedure_id = x.procedure_id AND a.step_id = x.id
       ) approvers
       WHERE ${ofOrganization('x')} AND x.procedure_id = p.id`)}
  ) flow ON true`

/** The same for the procedures of all organizations at once. */
export const approvalFlowOfAll = Prisma.sql`
  LEFT JOIN (${flowOf(Prisma.sql`
        LEFT JOIN (
          SELECT a.organization_id, a.procedure_id, a.step_id, ${approversText} AS list FROM approval_step_approvers a
           GROUP BY a.organization_id, a.procedure_id, a.step_id
        ) approvers ON approvers.organization_id = x.organization_id AND approvers.procedure_id = x.procedure_id
                   AND approvers.step_id = x.id`)}
  ) flow ON flow.organization_id = p.organization_id AND flow.procedure_id = p.id`

const print = createStatement<{ readonly id: string; readonly organizationId: string }, PrintedRow>({
  name: 'print_approval_procedure',
  columns: { json: 'text' },
  text: ({ id }) => Prisma.sql`
SELECT ${rowText(approvalProcedureResource)} AS json
  FROM approval_procedures p ${approvalFlow}
 WHERE ${ofOrganization('p')} AND p.id = ${id}`,
})

const lockPolicy = createStatement<Scope & { readonly id: string }, Pick<AccessPolicyModel, 'teamId'>>({
  name: 'lock_access_policy',
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

/** What every part of a procedure contains about the procedure. */
type ProcedureOfPart = Pick<ApprovalStepModel, 'organizationId' | 'procedureId'>

/** A step of a procedure that is to be stored, with its approvers in their order. */
export interface NewApprovalStep extends Omit<ApprovalStepModel, keyof ProcedureOfPart> {
  readonly approvers: readonly Omit<ApprovalStepApproverModel, keyof ProcedureOfPart | 'stepId' | 'position'>[]
}

/** The statements of this file. */
export const accessPolicyApprovalProcedureStatements = [print, lockPolicy, lockApprovers]

/** The team of a policy in the scope; the policy stays in that team until the end of the transaction. */
export async function lockAccessPolicy(transaction: Tables, id: string, scope: Scope): Promise<string | undefined> {
  const [policy] = await transaction.run(lockPolicy, { id, ...scope })
  return policy?.teamId
}

/** The approvers that exist, locked in the order of their ids, so that they still exist when a step names them. */
export function lockKnownApprovers(transaction: Tables, named: NamedApprovers): Promise<KnownApprover[]> {
  return transaction.run(lockApprovers, named)
}

/** A procedure to be stored, with its steps. */
export interface NewApprovalProcedure
  extends Pick<ApprovalProcedureModel, 'id' | 'organizationId' | 'accessPolicyId' | 'timeoutSeconds'> {
  readonly steps: readonly NewApprovalStep[]
}

/** Stores a procedure with its steps and their approvers, and returns its JSON. */
export async function insertApprovalProcedure(
  { models, run }: Tables,
  { steps, ...procedure }: NewApprovalProcedure,
): Promise<string> {
  const withApprovers = steps.map(({ approvers, ...step }) => ({
    ...step,
    approvers: { create: approvers.map((approver, position) => ({ position, ...approver })) },
  }))
  await models.approvalProcedure.create({
    data: { ...procedure, steps: { create: withApprovers } },
    select: { id: true },
  })
  const [printed] = await run(print, procedure)
  if (printed === undefined) throw new Error('a procedure was stored and is not there')
  return printed.json
}
