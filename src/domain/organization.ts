import { notFound } from '../errors.js'
import * as store from '../store/organization.js'
import { recordCallEvents } from './audit/audit-event.js'
import type { CallContext } from './caller/caller.js'
import { acceptedVersionsFrom, entityTagOf, requireAcceptedVersion } from './value/entity-tag.js'

/** The JSON of the caller's organization. */
export async function getOrganization({ tables, caller: { organizationId } }: CallContext): Promise<string> {
  const organization = await store.findOrganization(tables, organizationId)
  if (organization === null) throw notFound('organization', organizationId)
  return JSON.stringify(organization)
}

/** Renames the caller's organization, if there is a name, and returns its JSON. Throws `ETAG_MISMATCH`. */
export function updateOrganization(
  context: CallContext,
  { name }: { readonly name?: string | undefined },
  requireUnchanged?: (before: store.OrganizationRow) => void,
): Promise<string> {
  const { organizationId: targetId } = context.caller
  return context.tables.transaction(async (transaction) => {
    const locked = await store.lockOrganization(transaction, targetId)
    if (locked === null) throw notFound('organization', targetId)
    const before = JSON.stringify(locked)
    const what = { resourceType: 'organization', resourceId: targetId }
    requireAcceptedVersion(acceptedVersionsFrom(context.ifMatch), entityTagOf(before), what)
    requireUnchanged?.(locked)
    if (name !== undefined) await store.renameOrganization(transaction, targetId, name)
    const after = JSON.stringify({ ...locked, ...(name !== undefined && { name }) })
    const changedFields = after === before ? [] : ['name']
    const target = { targetId, changedFields }
    await recordCallEvents(context, transaction, [{ action: 'organization.update', ...target }])
    return after
  })
}
