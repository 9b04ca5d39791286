import type { Tables } from '../db/tables.js'
import { notFound, ServiceError } from '../errors.js'
import type { AuditAction } from '../store/audit-action.js'
import { hasTeam } from '../store/organization.js'
import type {
  ListedStore,
  StandardCreation,
  StandardDeletion,
  StandardRow,
  StandardStore,
  StandardUpdate,
} from '../store/standard-methods.js'
import { type AuditEvent, auditedCall, recordAuditEvents } from './audit/audit-event.js'
import {
  type Caller,
  type Permission,
  permittedTeamIds,
  requirePermissionIn,
  visibleScope,
  visibleTeamIds,
} from './caller/caller.js'
import type { Scope } from './caller/scope.js'
import { type Page, type PageQuery, type PageTokens, pageSizeFrom } from './paging.js'
import { acceptedVersionsFrom, entityTagOf, requireAcceptedVersion } from './value/entity-tag.js'

/** The standard methods (AIP-131 to 135) of a resource whose objects belong to teams; its writes may be some of them. */
export interface StandardResource<Writes> {
  /** As errors name it, such as `entity type`. */
  readonly name: string
  /** As the audit log names it: its events are `entity_type.create` and so on. */
  readonly auditedAs: AuditedAs<keyof Writes & WriteVerb>
  readonly read: Permission
  readonly write: Permission
  readonly store: StandardStore<Writes>
}

type WriteVerb = 'create' | 'update' | 'delete'

/** The same with a list in pages. */
export interface ListedResource<Writes> extends StandardResource<Writes> {
  readonly store: ListedStore<Writes>
}

/** The resources for which the audit log knows all of the verbs. */
type AuditedAs<Verb extends WriteVerb> = {
  [Action in AuditAction]: Action extends `${infer Name}.${string}`
    ? `${Name}.${Verb}` extends AuditAction
      ? Name
      : never
    : never
}[AuditAction]

/** Which objects to list; 0, empty texts and absent filters mean absent. */
export interface StandardListRequest {
  readonly pageSize: number
  readonly pageToken: string
  readonly includeTotal: boolean
  readonly filters: Readonly<Record<string, string>>
}

/** A page, and how many objects there are on all pages if that was asked for. */
export interface StandardPage extends Page {
  readonly totalSize: number | undefined
}

const DEFAULT_PAGE_SIZE = 100
const MAX_PAGE_SIZE = 1_000

/** The JSON of an object. Throws `RESOURCE_NOT_FOUND`, and `PERMISSION_MISSING` without the read permission in its team. */
export async function getObject(
  { tables, caller }: Scope,
  { name, read, store }: StandardResource<unknown>,
  id: string,
): Promise<string> {
  const found = await store.find(tables, { id, ...visibleScope(caller) })
  if (found === undefined) throw notFound(name, id)
  requirePermissionIn(caller, found.teamId, read)
  return found.json
}

/** A page of the objects that the caller may read, in creation order. Throws `PAGE_TOKEN_INVALID`. */
export async function listObjects(
  { reads, caller }: Scope,
  { name, read, store }: ListedResource<unknown>,
  { pageToken, includeTotal, ...request }: StandardListRequest,
  pageTokens: PageTokens,
): Promise<StandardPage> {
  const { organizationId } = caller
  const filter = Object.fromEntries(Object.entries(request.filters).filter(([, value]) => value !== ''))
  const query: PageQuery = { method: `list ${name}`, organizationId, filter }
  const filters = Object.fromEntries(Object.entries(request.filters).map(([key, value]) => [key, value || null]))
  const selection = { organizationId, teamIds: permittedTeamIds(caller, read), filters }
  const after = (await pageTokens.read(query, pageToken)) ?? '0'
  const pageSize = pageSizeFrom(request.pageSize, MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE)
  const page = await store.list(reads, { ...selection, after, pageSize })
  const last = page?.lastOrdinal ?? null
  return {
    items: page?.items ?? '',
    nextPageToken: last === null ? '' : await pageTokens.issue(query, String(last)),
    totalSize: includeTotal ? await store.count(reads, selection) : undefined,
  }
}

/**
 * Creates an object and returns its JSON. Throws `RESOURCE_NOT_FOUND` for the team, and `PERMISSION_MISSING` without the
 * write permission in it.
 */
export function createObject<Created extends { readonly teamId: string }>(
  scope: Scope,
  resource: StandardResource<StandardCreation<Created>>,
  values: Created,
): Promise<string> {
  const { tables, caller, runtime } = scope
  const { auditedAs: targetType } = resource
  const { teamId } = values
  return tables.transaction(async (transaction) => {
    if (!(await canSeeTeam(transaction, caller, teamId))) throw notFound('team', teamId)
    requirePermissionIn(caller, teamId, resource.write)
    const key = { organizationId: caller.organizationId, id: runtime.newId() }
    await resource.store.write.create(transaction, key, values)
    const { json } = await written(scope, transaction, resource, key.id)
    await record(scope, transaction, {
      action: `${targetType}.create`,
      targetType,
      targetId: key.id,
      teamId,
      changedFields: Object.keys(JSON.parse(json)),
    })
    return json
  })
}

/**
 * Changes an object and returns its JSON; what is undefined stays. Throws `RESOURCE_NOT_FOUND`, `PERMISSION_MISSING`
 * without the write permission in its team, and `ETAG_MISMATCH`. A change with a name of its own gives its `action`.
 */
export function updateObject<Changes>(
  scope: Scope,
  resource: StandardResource<StandardUpdate<Changes>>,
  id: string,
  changes: Changes,
  action: AuditAction = `${resource.auditedAs}.update`,
): Promise<string> {
  const { organizationId } = scope.caller
  const { auditedAs: targetType } = resource
  return scope.tables.transaction(async (transaction) => {
    const before = await lockForWrite(scope, transaction, resource, id)
    await resource.store.write.update(transaction, { organizationId, id }, changes)
    const after = await written(scope, transaction, resource, id)
    await record(scope, transaction, {
      action,
      targetType,
      targetId: id,
      teamId: after.teamId,
      changedFields: changedFields(before.json, after.json),
    })
    return after.json
  })
}

/**
 * Deletes an object. Throws `RESOURCE_NOT_FOUND`, `PERMISSION_MISSING` without the write permission in its team,
 * `ETAG_MISMATCH`, and `RESOURCE_IN_USE` while something refers to it.
 */
export function deleteObject(scope: Scope, resource: StandardResource<StandardDeletion>, id: string): Promise<void> {
  const key = { organizationId: scope.caller.organizationId, id }
  const { name, auditedAs: targetType, store } = resource
  return scope.tables.transaction(async (transaction) => {
    const { teamId } = await lockForWrite(scope, transaction, resource, id)
    const referrers = (await store.write.referrers?.(transaction, key)) ?? {}
    const names = Object.keys(referrers).filter((referrer) => referrers[referrer]?.length !== 0)
    if (names.length > 0) {
      throw new ServiceError(
        'RESOURCE_IN_USE',
        `the ${name} is in use: first delete the ${names.join(' and ')} that refer to it, or make them refer to another`,
        {
          metadata: { resourceType: name, resourceId: id, referrers: names.join(',') },
        },
      )
    }
    await store.write.delete(transaction, key)
    await record(scope, transaction, { action: `${targetType}.delete`, targetType, targetId: id, teamId })
  })
}

function canSeeTeam(tables: Tables, caller: Caller, teamId: string): Promise<boolean> | boolean {
  return visibleTeamIds(caller)?.includes(teamId) ?? hasTeam(tables, caller.organizationId, teamId)
}

/** An object that was written in the same transaction. */
async function written(
  { caller }: Scope,
  transaction: Tables,
  { name, store }: StandardResource<unknown>,
  id: string,
): Promise<StandardRow> {
  const found = await store.find(transaction, { id, ...visibleScope(caller) })
  if (found === undefined) throw new Error(`the ${name} was written and is not there`)
  return found
}

async function lockForWrite(
  { caller, ifMatch }: Scope,
  transaction: Tables,
  { name, write, store }: StandardResource<unknown>,
  id: string,
): Promise<StandardRow> {
  const found = await store.lock(transaction, { id, ...visibleScope(caller) })
  if (found === undefined) throw notFound(name, id)
  requirePermissionIn(caller, found.teamId, write)
  const accepted = acceptedVersionsFrom(ifMatch)
  const what = { resourceType: name, resourceId: id }
  if (accepted !== undefined) requireAcceptedVersion(accepted, entityTagOf(found.json), what)
  return found
}

function record(
  scope: Scope,
  transaction: Tables,
  event: Omit<AuditEvent, keyof ReturnType<typeof auditedCall>>,
): Promise<void> {
  return recordAuditEvents(transaction, [{ ...auditedCall(scope), ...event }], scope.runtime)
}

/** The names of the fields whose values differ between two states of an object. */
function changedFields(before: string, after: string): string[] {
  const [old, current]: Readonly<Record<string, unknown>>[] = [JSON.parse(before), JSON.parse(after)]
  const names = new Set([...Object.keys(old ?? {}), ...Object.keys(current ?? {})])
  return [...names].filter((name) => JSON.stringify(old?.[name]) !== JSON.stringify(current?.[name]))
}
