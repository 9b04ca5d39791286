import { Prisma } from '../../gen/prisma/client.js'
import type { ApprovalProcedureModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import {
  ApprovalProcedureSchema,
  Approver_GroupSchema,
  Approver_UserSchema,
  ApproverSchema,
  CustomWorkflowSchema,
  StepSchema,
} from '../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import type { Tables } from '../db/tables.js'
import { rowText } from './resource/print.js'
import { declareResource } from './resource/resource.js'
import { itemsText, listText } from './resource/text.js'
import { createRowLock } from './row-lock.js'
import { createStandardStore } from './standard-methods.js'
import type { StandardKey } from './standard-writes.js'
import { ofOrganization } from './visibility.js'

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
  approvers: { kind: 'elsewhere', sql: Prisma.sql`approvers.list` },
  customWorkflow: {
    kind: 'columns',
    presence: 'custom_workflow_id',
    resource: declareResource(CustomWorkflowSchema, schema.ApprovalStep, 'x', { workflowId: 'custom_workflow_id' }),
  },
  approverJustificationMode: {
    kind: 'column',
    name: 'justification_mode',
    read: Prisma.sql`coalesce(x.justification_mode, replace(x.approver_justification_mode::text, 'UNSET', ''))`,
  },
})

/** Approval procedures; a query joins them with the flow of their steps. */
export const approvalProcedureResource = declareResource(ApprovalProcedureSchema, schema.ApprovalProcedure, 'p', {
  steps: { kind: 'elsewhere', sql: Prisma.sql`coalesce(flow.steps, '[]')`, of: ['steps'] },
  stages: { kind: 'elsewhere', sql: Prisma.sql`coalesce(flow.stages, '[]')`, of: ['steps'] },
})

/** Joins the steps of the procedures `p`, and the same in stages; the rows with an alias are of their organization. */
const flowOf = (ofOrganization: (alias: string) => Prisma.Sql) => Prisma.sql`
  LEFT JOIN LATERAL (
    SELECT '[' || string_agg(stage.items, ',' ORDER BY stage.stage_index) || ']' AS steps,
           '[' || string_agg('{"steps":[' || stage.items || ']}', ',' ORDER BY stage.stage_index) || ']' AS stages
      FROM (
        SELECT x.stage_index, ${itemsText(rowText(stepResource), Prisma.sql`x.step_index`)} AS items
          FROM approval_steps x
         CROSS JOIN LATERAL (
           SELECT ${listText(rowText(approverResource), Prisma.sql`a.position`)} AS list FROM approval_step_approvers a
            WHERE ${ofOrganization('a')} AND a.procedure_id = x.procedure_id AND a.step_id = x.id
         ) approvers
         WHERE ${ofOrganization('x')} AND x.procedure_id = p.id
         GROUP BY x.stage_index
      ) stage
  ) flow ON true`

/** The flow of procedures of all organizations. */
export const approvalFlowOfAll = flowOf((alias) => Prisma.raw(`${alias}.organization_id = p.organization_id`))

const lockUsers = createRowLock({ table: schema.Membership, strength: 'KEY SHARE', read: ['userId'], key: 'user_id' })
const lockGroups = createRowLock({ table: schema.Group, strength: 'KEY SHARE', read: ['id'] })

export const approvalProcedureStore = createStandardStore<ApprovalProcedureRow>(approvalProcedureResource, {
  ownerColumn: 'access_policy_id',
  join: flowOf(ofOrganization),
  relations: { steps: { read: findApprovalSteps, write: nestedSteps } },
})

/** The ids of those approvers that exist, who are locked, so that they still exist when a step names them. */
export async function lockKnownApprovers(
  { run }: Tables,
  organizationId: string,
  { USER, GROUP }: Readonly<Record<'USER' | 'GROUP', readonly string[]>>,
): Promise<Readonly<Record<'USER' | 'GROUP', ReadonlySet<string>>>> {
  const users = USER.length === 0 ? [] : await run(lockUsers, { organizationId, ids: USER })
  const groups = GROUP.length === 0 ? [] : await run(lockGroups, { organizationId, ids: GROUP })
  return { USER: new Set(users.map(({ userId }) => userId)), GROUP: new Set(groups.map(({ id }) => id)) }
}

export type StoredStep = Awaited<ReturnType<typeof findApprovalSteps>>[number]

async function findApprovalSteps({ models }: Tables, { organizationId, id }: StandardKey) {
  const rows = await models.approvalStep.findMany({
    where: { organizationId, procedureId: id },
    orderBy: [{ stageIndex: 'asc' }, { stepIndex: 'asc' }],
    select: {
      id: true,
      stageIndex: true,
      stepIndex: true,
      allowSelfApproval: true,
      approverJustificationMode: true,
      justificationMode: true,
      suppressNotifications: true,
      autoApproveSelf: true,
      customWorkflowId: true,
      approvers: { orderBy: { position: 'asc' }, select: { kind: true, userId: true, groupId: true, notify: true } },
    },
  })
  return rows.map(({ approverJustificationMode: earlier, ...row }) => {
    return { ...row, justificationMode: row.justificationMode ?? (earlier === 'UNSET' ? '' : earlier) }
  })
}

export interface ApprovalProcedureRow extends ApprovalProcedureModel {
  readonly steps: readonly StoredStep[]
}

function nestedSteps(steps: readonly StoredStep[], isNew: boolean): object {
  const create = steps.map(({ approvers, ...step }) => ({
    ...step,
    approvers: { createMany: { data: approvers.map((approver, position) => ({ position, ...approver })) } },
  }))
  return isNew ? { create } : { deleteMany: {}, create }
}
