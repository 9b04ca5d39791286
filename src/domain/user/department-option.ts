import { notFound, ServiceError } from '../../errors.js'
import {
  deleteDepartmentOption as deleteRow,
  findMemberOfDepartment,
  lockDepartmentOption,
} from '../../store/department-option.js'
import { recordCallEvents } from '../audit/audit-event.js'
import { type CallContext, requirePermissionIn } from '../caller/caller.js'

/**
 * Deletes a department of the caller's organization. Throws `RESOURCE_NOT_FOUND`, `PERMISSION_MISSING`, and
 * `RESOURCE_IN_USE` while somebody has it, deactivated people included.
 */
export function deleteDepartmentOption(context: CallContext, id: string): Promise<void> {
  const { caller, tables } = context
  const { organizationId } = caller
  return tables.transaction(async (transaction) => {
    const option = await lockDepartmentOption(transaction, organizationId, id)
    if (option === undefined) throw notFound('department option', id)
    requirePermissionIn(caller, null, 'users:write')
    const member = await findMemberOfDepartment(transaction, organizationId, option.name)
    if (member !== undefined) {
      const message = `the department is in use: first give those who have it another one, such as user ${member.userId}`
      const metadata = { resourceType: 'department_option', resourceId: id, referrers: member.userId }
      throw new ServiceError('RESOURCE_IN_USE', message, { metadata })
    }
    await deleteRow(transaction, organizationId, id)
    await recordCallEvents(context, transaction, [{ action: 'department_option.delete', targetId: id, teamId: null }])
  })
}
