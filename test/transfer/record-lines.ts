import { line } from './transfer-text.js'

/** A UUID for a number. */
export const uuid = (number: number) => `0198a1c0-7d00-7000-8000-${String(number).padStart(12, '0')}`
/** A user, given by what differs from the default. */
export const user = (fields: object) =>
  line('user', { id: 'user_x', organizationId: 'org_acme', email: 'x@acme.example', ...fields })
/** A priority, given by what differs from the default. */
export const priority = (fields: object) =>
  line('priority', { id: 'pri_x', teamId: 'team_it', priority: 'P1', name: 'X', ...fields })
export const app = (fields: object) => line('appInstance', { id: 'app_x', teamId: 'team_it', name: 'X', ...fields })
/** An app resource, given by what differs from the default. */
export const resource = (fields: object) =>
  line('appResource', { id: 'resource_x', appInstanceId: 'app_forge', resourceType: 'role', name: 'X', ...fields })
export const journey = (fields: object) => line('journey', { id: uuid(99), teamId: 'team_it', name: 'X', ...fields })
export const task = (number: number, fields: object = {}) => ({ id: uuid(number), name: 'T', ...fields })
export const procedure = (fields: object) =>
  line('approvalProcedure', { id: 'procedure_x', accessPolicyId: 'policy_standard', ...fields })
export const owner = { approvers: [{ appOwner: {} }] }
export const value = (dataType: string, given: unknown) =>
  journey({ customFields: [{ fieldId: 'f', dataType: `DATA_TYPE_${dataType}`, value: given }] })
export const sla = (fields: object) => line('slaDefinition', { id: 'sla_x', teamId: 'team_it', name: 'X', ...fields })

/** What the rules of members say of a manager who is nobody. */
export const NO_MANAGER = 'user.managerUserId: no such user in the organization: send the id of one of its users'
