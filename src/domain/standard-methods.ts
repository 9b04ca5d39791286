import type { Tables } from '../db/tables.js'
import { type FieldViolation, notFound, refuseViolations, ServiceError, typeNamed } from '../errors.js'
import { type AuditAction, isAuditAction } from '../store/audit-action.js'
import type { StandardRow } from '../store/standard-methods.js'
import type { StandardReference } from '../store/standard-references.js'
import type { Referrers, StandardValues } from '../store/standard-writes.js'
import { recordCallEvents } from './audit/audit-event.js'
import {
  type CallContext,
  type Permission,
  permittedTeamIds,
  requirePermissionIn,
  visibilityOf,
} from './caller/caller.js'
import { type Page, type PageRange, type PageRequest, pageOf } from './paging.js'
import type { StandardResource } from './standard-resource.js'
import { acceptedVersionsFrom, entityTagOf, requireAcceptedVersion } from './value/entity-tag.js'

/** Which objects to list; 0, empty texts and absent filters mean absent. */
export interface StandardListRequest extends PageRequest {
  readonly filters: Readonly<Record<string, string>>
  /** The size of a page if the caller names none. Default: that of most lists. */
  readonly usualSize?: number | undefined
}

/**
 * The JSON of an object. Throws `RESOURCE_NOT_FOUND`, and `PERMISSION_MISSING` without the read permission in its team.
 */
export async function getObject(
  { tables, caller }: CallContext,
  { name, read, store }: StandardResource,
  id: string,
): Promise<string> {
  const found = await store.find(tables, { id, ...visibilityOf(caller) })
  if (found === undefined) throw notFound(name, id)
  requirePermissionIn(caller, found.teamId, read)
  return found.json
}

/**
 * A page of the objects that the caller may read, in creation order. Throws `PAGE_TOKEN_INVALID`. Objects that have
 * their teams from their owner are listed by owner: throws `RESOURCE_NOT_FOUND` for it, and `PERMISSION_MISSING`
 * without the read permission in its team.
 */
export async function listObjects(
  context: CallContext,
  { name, read, store }: StandardResource,
  request: StandardListRequest,
): Promise<Page> {
  const { reads, caller } = context
  const { pages, owner, isListedByOwner } = store
  if (pages === undefined) throw new Error(`the ${name} has no list in pages`)
  const filter = Object.fromEntries(Object.entries(request.filters).filter(([, value]) => value !== ''))
  const filters = Object.fromEntries(Object.entries(request.filters).map(([key, value]) => [key, value || null]))
  const selection = { organizationId: caller.organizationId, teamIds: permittedTeamIds(caller, read), filters }
  const readObjects = async (range: PageRange) => {
    if (isListedByOwner && owner !== undefined) {
      const ownerId = request.filters[owner.property] ?? ''
      const teams = await owner.findTeams(reads, { ids: [ownerId], ...visibilityOf(caller) })
      requireOwner(context, owner, ownerId, teams, read)
    }
    return pages.list(reads, { ...selection, ...range })
  }
  const count = () => pages.count(reads, selection)
  const { usualSize } = request
  return pageOf(context, request, {
    method: `${'q' in filter ? 'find' : 'list'} ${name}`,
    filter,
    usualSize,
    read: readObjects,
    count,
  })
}

/** The team of an owner among those of visible ones. */
function requireOwner(
  { caller }: CallContext,
  { type }: StandardReference,
  id: string,
  teams: ReadonlyMap<string, string>,
  permission: Permission,
): string {
  const teamId = teams.get(id)
  if (teamId === undefined) throw notFound(type, id)
  requirePermissionIn(caller, teamId, permission)
  return teamId
}

/**
 * Creates an object with the given values, or those that `complete` makes of them, and returns its JSON. Throws
 * `RESOURCE_NOT_FOUND` for its owner, `PERMISSION_MISSING` without the write permission in the owner's team, and
 * `FIELD_INVALID` for other references.
 */
export function createObject(
  context: CallContext,
  resource: StandardResource,
  given: StandardValues,
  complete: (transaction: Tables) => StandardValues | Promise<StandardValues> = () => resource.complete(given, context),
): Promise<string> {
  const { tables, caller, runtime } = context
  return tables.transaction(async (transaction) => {
    const inTeam = await ownerTeam(context, transaction, resource, given)
    const values = { ...(await complete(transaction)), ...inTeam }
    await requireReferences(context, transaction, resource, values)
    const key = { organizationId: caller.organizationId, id: runtime.newId() }
    await resource.store.create(transaction, key, values, runtime.now())
    const { json, teamId } = await written(context, transaction, resource, key.id)
    const target = { targetId: key.id, teamId }
    const event = { action: actionOf(resource, 'create'), ...target, changedFields: Object.keys(JSON.parse(json)) }
    await recordCallEvents(context, transaction, [event])
    return json
  })
}

/** The team of a new object; what belongs to the organization, or names no owner, has none. */
async function ownerTeam(
  context: CallContext,
  transaction: Tables,
  { store: { owner }, write }: StandardResource,
  given: StandardValues,
): Promise<{ readonly teamId?: string | null }> {
  if (owner === undefined || given[owner.property] === '') {
    requirePermissionIn(context.caller, null, write)
    return owner === undefined ? {} : { teamId: null }
  }
  const ownerId = String(given[owner.property])
  const teams = await owner.teams(transaction, { ids: [ownerId], ...visibilityOf(context.caller) })
  return { teamId: requireOwner(context, owner, ownerId, teams, write) }
}

/** What an update changes about an object, and when: absent values stay. It may write what is beside the object. */
export type StandardChanges = (
  before: Readonly<Record<string, unknown>>,
  now: Date,
  transaction: Tables,
) => StandardValues | Promise<StandardValues>

/**
 * Changes an object and returns its JSON. Throws `RESOURCE_NOT_FOUND`, `PERMISSION_MISSING` without the write
 * permission in its team, `ETAG_MISMATCH`, and `FIELD_INVALID` for references. A change with a name of its own gives
 * its `action`.
 */
export function updateObject(
  context: CallContext,
  resource: StandardResource,
  id: string,
  changes: StandardChanges,
  action = actionOf(resource, 'update'),
): Promise<string> {
  const { caller, runtime } = context
  const key = { organizationId: caller.organizationId, id }
  return context.tables.transaction(async (transaction) => {
    const before = await lockForWrite(context, transaction, resource, id)
    const now = runtime.now()
    const values = await changes(JSON.parse(before.json), now, transaction)
    await requireReferences(context, transaction, resource, values)
    await resource.store.update(transaction, key, values, now)
    const { json, teamId } = await written(context, transaction, resource, id)
    const target = { targetId: id, teamId }
    const event = { action, ...target, changedFields: changedFields(before.json, json) }
    await recordCallEvents(context, transaction, [event])
    return json
  })
}

/**
 * Deletes an object. Throws `RESOURCE_NOT_FOUND`, `PERMISSION_MISSING` without the write permission in its team,
 * `ETAG_MISMATCH`, and `RESOURCE_IN_USE` while something refers to it.
 */
export function deleteObject(context: CallContext, resource: StandardResource, id: string): Promise<void> {
  const key = { organizationId: context.caller.organizationId, id }
  const { name, store } = resource
  return context.tables.transaction(async (transaction) => {
    const { teamId } = await lockForWrite(context, transaction, resource, id)
    const referrers = await store.referrers(transaction, key)
    if (referrers.length > 0) throw inUse(name, id, referrers)
    await store.delete(transaction, key)
    const target = { targetId: id, teamId }
    await recordCallEvents(context, transaction, [{ action: actionOf(resource, 'delete'), ...target }])
  })
}

function inUse(name: string, id: string, referrers: readonly Referrers[]): ServiceError {
  const words = referrers.map((each) => each.words ?? each.name.replace(/[A-Z]/g, (first) => ` ${first.toLowerCase()}`))
  const message = `the ${name} is in use: first delete the ${words.join(' and ')} that refer to it, or make them refer to another`
  const kinds = referrers.map((each) => each.name).join(',')
  const metadata = { resourceType: typeNamed(name), resourceId: id, referrers: kinds }
  return new ServiceError('RESOURCE_IN_USE', message, { metadata })
}

/** The name of a change in the audit log. Throws if it has none. */
function actionOf({ auditedAs }: StandardResource, verb: 'create' | 'update' | 'delete'): AuditAction {
  const action = `${auditedAs}.${verb}`
  if (!isAuditAction(action)) throw new Error(`the audit log knows no ${action}`)
  return action
}

/** Refuses values that name what does not exist or is hidden from the caller; what they name stays. */
async function requireReferences(
  { caller }: CallContext,
  transaction: Tables,
  { store }: StandardResource,
  values: StandardValues,
): Promise<void> {
  const violations: FieldViolation[] = []
  for (const { property, type, teams } of store.references) {
    const id = values[property]
    if (typeof id !== 'string' || (await teams(transaction, { ids: [id], ...visibilityOf(caller) })).has(id)) continue
    const description = `names no ${type}: it does not exist, or you have no access to it`
    violations.push({ field: property, description, reason: 'FIELD_INVALID' })
  }
  refuseViolations(violations)
}

/** An object that the caller has just written. */
export async function written(
  { caller }: CallContext,
  transaction: Tables,
  { name, store }: StandardResource,
  id: string,
): Promise<StandardRow> {
  const found = await store.find(transaction, { id, ...visibilityOf(caller) })
  if (found === undefined) throw new Error(`the ${name} was written and is not there`)
  return found
}

async function lockForWrite(
  { caller, ifMatch }: CallContext,
  transaction: Tables,
  { name, write, store, requireWritable }: StandardResource,
  id: string,
): Promise<StandardRow> {
  const found = await store.lock(transaction, { id, ...visibilityOf(caller) })
  if (found === undefined) throw notFound(name, id)
  requirePermissionIn(caller, found.teamId, write)
  const what = { resourceType: name, resourceId: id }
  requireAcceptedVersion(acceptedVersionsFrom(ifMatch), entityTagOf(found.json), what)
  requireWritable(JSON.parse(found.json))
  return found
}

/** The names of the fields whose values differ between two states of an object. */
function changedFields(before: string, after: string): string[] {
  const [old, current]: Readonly<Record<string, unknown>>[] = [JSON.parse(before), JSON.parse(after)]
  const names = new Set([...Object.keys(old ?? {}), ...Object.keys(current ?? {})])
  return [...names].filter((name) => JSON.stringify(old?.[name]) !== JSON.stringify(current?.[name]))
}
