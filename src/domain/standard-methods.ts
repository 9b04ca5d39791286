import type { Tables } from '../db/tables.js'
import { type FieldViolation, notFound, refuseViolations, ServiceError, typeNamed } from '../errors.js'
import { type AuditAction, isAuditAction } from '../store/audit-action.js'
import type { PrintedObject } from '../store/resource/print.js'
import type { StandardRow } from '../store/standard-methods.js'
import type { StandardReference } from '../store/standard-references.js'
import type { Referrers, StandardKey } from '../store/standard-writes.js'
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

/** Reads an object. Throws `RESOURCE_NOT_FOUND`, and `PERMISSION_MISSING` without the read permission in its team. */
export async function getObject<Of extends StandardKey>(
  { tables, caller }: CallContext,
  { name, read, store }: StandardResource<Of>,
  id: string,
): Promise<PrintedObject> {
  const found = await store.find(tables, { id, ...visibilityOf(caller) })
  if (found === undefined) throw notFound(name, id)
  requirePermissionIn(caller, found.teamId, read)
  return found
}

/**
 * A page of the objects that the caller may read, in creation order. Throws `PAGE_TOKEN_INVALID`. Objects that inherit
 * their team from an owner are listed by owner: throws `RESOURCE_NOT_FOUND` for the owner, and `PERMISSION_MISSING`
 * without the read permission in its team.
 */
export async function listObjects<Of extends StandardKey>(
  context: CallContext,
  { name, read, store }: StandardResource<Of>,
  request: StandardListRequest,
): Promise<Page> {
  const { reads, caller } = context
  const { pages, owner, isListedByOwner } = store
  if (pages === undefined) throw new Error(`the ${name} has no list in pages`)
  const filter = Object.fromEntries(Object.entries(request.filters).filter(([, value]) => value !== ''))
  const filters = Object.fromEntries(Object.entries(request.filters).map(([key, value]) => [key, value || null]))
  const selection = { organizationId: caller.organizationId, teamIds: permittedTeamIds(caller, read), ...filters }
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

/**
 * The JSON of all objects of an owner. Throws `RESOURCE_NOT_FOUND` for the owner, and `PERMISSION_MISSING` without the
 * read permission in its team.
 */
export async function listOfOwner<Of extends StandardKey>(
  { reads, caller }: CallContext,
  { name, read, store: { owner, listOfOwner: list } }: StandardResource<Of>,
  ownerId: string,
  filters: Readonly<Record<string, string>> = {},
): Promise<string> {
  if (owner === undefined || list === undefined) throw new Error(`the ${name} has no list of an owner`)
  const found = await list(reads, { ownerId, filters, ...visibilityOf(caller) })
  if (found === undefined) throw notFound(owner.type, ownerId)
  requirePermissionIn(caller, found.teamId, read)
  return found.json
}

/** The team of an owner among those of visible ones. */
function requireOwner(
  { caller }: CallContext,
  { type }: Pick<StandardReference, 'type'>,
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
 * Creates an object with the given values, or with those that `complete` returns, and returns it. Throws
 * `RESOURCE_NOT_FOUND` for its owner, `PERMISSION_MISSING` without the write permission in the owner's team, and
 * `FIELD_INVALID` for other references.
 */
export function createObject<Of extends StandardKey>(
  context: CallContext,
  resource: StandardResource<Of>,
  given: Partial<Of>,
  complete: (transaction: Tables) => Partial<Of> | Promise<Partial<Of>> = () => resource.complete(given, context),
  id = context.runtime.newId(),
): Promise<PrintedObject> {
  const { tables, caller, runtime } = context
  return tables.transaction(async (transaction) => {
    const inTeam = await ownerTeam(context, transaction, resource, given)
    const values = { ...(await complete(transaction)), ...inTeam }
    await requireReferences(context, transaction, resource, values)
    await resource.store.create(transaction, { organizationId: caller.organizationId, id }, values, runtime.now())
    const created = await written(context, transaction, resource, id)
    const { teamId } = created
    const changedFields = resource.store.presentFields(values)
    const event = { action: actionOf(resource, 'create'), targetId: id, teamId, changedFields }
    await recordCallEvents(context, transaction, [event])
    return created
  })
}

/** The team of a new object; what belongs to the organization, or names no owner, has none. */
async function ownerTeam<Of extends StandardKey>(
  context: CallContext,
  transaction: Tables,
  { store: { owner }, write }: StandardResource<Of>,
  given: Partial<Of>,
): Promise<{ readonly teamId?: string | null }> {
  const ownerId = owner && given[owner.property]
  if (owner === undefined || ownerId === null || ownerId === '') {
    requirePermissionIn(context.caller, null, write)
    return owner === undefined ? {} : { teamId: null }
  }
  const teams = await owner.teams(transaction, { ids: [String(ownerId)], ...visibilityOf(context.caller) })
  return { teamId: requireOwner(context, owner, String(ownerId), teams, write) }
}

/** What an update changes about an object, and when: absent values stay. It may write what is beside the object. */
export type StandardChanges<Of> = (before: Of, now: Date, transaction: Tables) => Partial<Of> | Promise<Partial<Of>>

/**
 * Changes an object and returns it. `action` is the name of the change in the audit log. Throws `RESOURCE_NOT_FOUND`,
 * `PERMISSION_MISSING` without the write permission in its team, `ETAG_MISMATCH`, and `FIELD_INVALID` for references.
 */
export function updateObject<Of extends StandardKey>(
  context: CallContext,
  resource: StandardResource<Of>,
  id: string,
  changes: StandardChanges<Of>,
  action = actionOf(resource, 'update'),
): Promise<PrintedObject> {
  return context.tables.transaction(async (transaction) => {
    const { before } = await lockForWrite(context, transaction, resource, id)
    const now = context.runtime.now()
    const values = await changes(before, now, transaction)
    await requireReferences(context, transaction, resource, values)
    const changedFields = await resource.store.update(transaction, before, values, now)
    const after = await written(context, transaction, resource, id)
    await recordCallEvents(context, transaction, [{ action, targetId: id, teamId: after.teamId, changedFields }])
    return after
  })
}

/**
 * Deletes an object. Throws `RESOURCE_NOT_FOUND`, `PERMISSION_MISSING` without the write permission in its team,
 * `ETAG_MISMATCH`, and `RESOURCE_IN_USE` while something refers to it.
 */
export function deleteObject<Of extends StandardKey>(
  context: CallContext,
  resource: StandardResource<Of>,
  id: string,
): Promise<void> {
  const { name, store } = resource
  return context.tables.transaction(async (transaction) => {
    const { before, teamId } = await lockForWrite(context, transaction, resource, id)
    const referrers = await store.referrers(transaction, before, context.runtime.now())
    if (referrers.length > 0) throw inUse(name, id, referrers)
    await store.delete(transaction, before)
    const target = { targetId: id, teamId }
    await recordCallEvents(context, transaction, [{ action: actionOf(resource, 'delete'), ...target }])
  })
}

function inUse(name: string, id: string, referrers: readonly Referrers[]): ServiceError {
  const words = referrers.map((each) => each.words ?? each.name.replace(/[A-Z]/g, (first) => ` ${first.toLowerCase()}`))
  const message = `the ${name} is in use: first delete the ${new Intl.ListFormat('en').format(words)} that refer to it, or make them refer to another`
  const kinds = referrers.map((each) => each.name).join(',')
  const metadata = { resourceType: typeNamed(name), resourceId: id, referrers: kinds }
  return new ServiceError('RESOURCE_IN_USE', message, { metadata })
}

function actionOf(
  { auditedAs }: Pick<StandardResource, 'auditedAs'>,
  verb: 'create' | 'update' | 'delete',
): AuditAction {
  const action = `${auditedAs}.${verb}`
  if (!isAuditAction(action)) throw new Error(`the audit log knows no ${action}`)
  return action
}

/** Refuses values that name what does not exist or is hidden from the caller; what they name stays. */
async function requireReferences<Of extends StandardKey>(
  { caller }: CallContext,
  transaction: Tables,
  { store }: StandardResource<Of>,
  values: Partial<Of>,
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

export async function written<Of extends StandardKey>(
  { caller }: CallContext,
  transaction: Tables,
  { name, store }: StandardResource<Of>,
  id: string,
): Promise<StandardRow> {
  const found = await store.find(transaction, { id, ...visibilityOf(caller) })
  if (found === undefined) throw new Error(`the ${name} was written and is not there`)
  return found
}

/** The team of an object, and the object as it is before it is written. */
async function lockForWrite<Of extends StandardKey>(
  { caller, ifMatch }: CallContext,
  transaction: Tables,
  { name, write, store, requireWritable }: StandardResource<Of>,
  id: string,
): Promise<Pick<StandardRow, 'teamId'> & { readonly before: Of }> {
  const wanted = { id, ...visibilityOf(caller) }
  const locked = await store.lock(transaction, wanted)
  const before = locked && (await store.read(transaction, wanted))
  if (locked === undefined || before === undefined) throw notFound(name, id)
  requirePermissionIn(caller, locked.teamId, write)
  const accepted = acceptedVersionsFrom(ifMatch)
  if (accepted !== undefined) {
    const found = await store.find(transaction, wanted)
    requireAcceptedVersion(accepted, found && entityTagOf(found.version), { resourceType: name, resourceId: id })
  }
  requireWritable(before)
  return { teamId: locked.teamId, before }
}
