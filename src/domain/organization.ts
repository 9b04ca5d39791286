import type { Tables } from '../db/tables.js'
import { notFound } from '../errors.js'
import * as store from '../store/organization.js'
import type { PrintedObject } from '../store/resource/print.js'
import { recordCallEvents } from './audit/audit-event.js'
import type { CallContext } from './caller/caller.js'
import { acceptedVersionsFrom, entityTagOf, requireAcceptedVersion } from './value/entity-tag.js'

export async function getOrganization({ tables, caller: { organizationId } }: CallContext): Promise<PrintedObject> {
  const organization = await store.findOrganization(tables, organizationId)
  if (organization === null) throw notFound('organization', organizationId)
  const { version, ...shown } = organization
  return { json: JSON.stringify(shown), version: String(version) }
}

/** Renames the caller's organization, if there is another name, and returns it. Throws `ETAG_MISMATCH`. */
export function updateOrganization(
  context: CallContext,
  { name }: { readonly name?: string | undefined },
  requireUnchanged?: (before: store.OrganizationRow) => void,
): Promise<PrintedObject> {
  const { organizationId: targetId } = context.caller
  return context.tables.transaction(async (transaction) => {
    const locked = await store.lockOrganization(transaction, targetId)
    if (locked === null) throw notFound('organization', targetId)
    const what = { resourceType: 'organization', resourceId: targetId }
    requireAcceptedVersion(acceptedVersionsFrom(context.ifMatch), entityTagOf(String(locked.version)), what)
    requireUnchanged?.(locked)
    const isRenamed = name !== undefined && name !== locked.name
    if (isRenamed) await store.renameOrganization(transaction, targetId, name)
    const target = { targetId, changedFields: isRenamed ? ['name'] : [] }
    await recordCallEvents(context, transaction, [{ action: 'organization.update', ...target }])
    return getOrganization({ ...context, tables: transaction })
  })
}

/** Refuses an organization that does not exist. */
export async function requireOrganization(tables: Tables, organizationId: string): Promise<void> {
  if ((await store.findOrganization(tables, organizationId)) === null) throw notFound('organization', organizationId)
}
