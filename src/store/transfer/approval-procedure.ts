import { Prisma } from '../../../gen/prisma/client.js'
import { schema } from '../../../gen/prisma/schema.js'
import { approvalFlowOfAll, approvalProcedureResource } from '../access-policy-approval-procedure.js'
import { rowsOfJson, typesIn } from '../resource/resource.js'
import { eachRow, type KindDefinition, listed } from './kind.js'

/** The columns that no record of a step has; the mode of the previous build is no longer written. */
const others = ['organization_id', 'procedure_id', 'approver_justification_mode']
const stepNames = Object.keys(schema.ApprovalStep.columns).filter((name) => !others.includes(name))
/** The steps of a record, each with the name of its field. */
const steps = eachRow('steps', 'step', { ...typesIn(schema.ApprovalStep, stepNames), field: 'text', approvers: 'json' })
const approvers = Prisma.sql`${steps}
CROSS JOIN LATERAL ${rowsOfJson(
  Prisma.sql`step.approvers`,
  'approver',
  typesIn(schema.ApprovalStepApprover, ['kind', 'user_id', 'group_id', 'notify']),
)}`

export const approvalProcedureKind: KindDefinition = {
  resource: approvalProcedureResource,
  owner: 'accessPolicyId',
  showsLists: true,
  extras: { steps: 'json' },
  references: [
    {
      to: 'memberships',
      id: Prisma.sql`approver.user_id`,
      field: Prisma.sql`format('%s.approvers[%s].user.userId', step.field, approver.place - 1)`,
      join: approvers,
    },
    {
      to: 'groups',
      id: Prisma.sql`approver.group_id`,
      field: Prisma.sql`format('%s.approvers[%s].group.groupId', step.field, approver.place - 1)`,
      join: approvers,
    },
  ],
  after: [
    Prisma.sql`DELETE FROM approval_steps x USING staged_approval_procedure s WHERE x.organization_id = s.organization_id AND x.procedure_id = s.id`,
    Prisma.sql`INSERT INTO approval_steps (organization_id, procedure_id, ${listed(stepNames)})
     SELECT s.organization_id, s.id, ${listed(stepNames.map((name) => `step.${name}`))} FROM staged_approval_procedure s ${steps}`,
    Prisma.sql`INSERT INTO approval_step_approvers (organization_id, procedure_id, step_id, position, kind, user_id, group_id, notify)
     SELECT s.organization_id, s.id, step.id, approver.place - 1, approver.kind, approver.user_id, approver.group_id,
       approver.notify
     FROM staged_approval_procedure s ${approvers}`,
  ],
  join: approvalFlowOfAll,
}
