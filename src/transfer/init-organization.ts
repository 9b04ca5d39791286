import { Readable } from 'node:stream'
import type { Tables } from '../db/tables.js'
import type { Runtime } from '../runtime/runtime.js'
import { importLock, takeLocks } from '../store/lock.js'
import { firstOrganizationId } from '../store/organization.js'
import { ImportError } from './import-error.js'
import { importRecords } from './import-records.js'

/**
 * Imports an organization with one administrator, who has the email address, and returns their ids, which are new.
 * Throws if an organization has the name, or if the name or the address breaks the limits of records.
 */
export function initOrganization(
  tables: Tables,
  { name, email }: { readonly name: string; readonly email: string },
  runtime: Runtime,
): Promise<{ readonly organizationId: string; readonly userId: string }> {
  const [organizationId, userId] = [runtime.newId(), runtime.newId()]
  const organization = { id: organizationId, name }
  const user = { id: userId, organizationId, email, role: 'USER_ROLE_ORG_ADMIN' }
  const work = async (transaction: Tables) => {
    await takeLocks(transaction, [importLock])
    const existing = await firstOrganizationId(transaction, { name })
    if (existing !== undefined) throw new Error(`an organization with this name already exists: ${existing}`)
    const lines = [{ organization }, { user }].map((record) => `${JSON.stringify(record)}\n`)
    await importRecords(transaction, Readable.from(lines), { runtime }).catch((error: unknown) => {
      throw error instanceof ImportError ? new Error(error.fault, { cause: error }) : error
    })
    return { organizationId, userId }
  }
  return tables.transaction(work, { withoutTimeout: true })
}
