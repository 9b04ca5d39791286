import type { AppInstanceModel } from '../../gen/prisma/models.js'
import type { Tables } from '../db/tables.js'
import { invalidField, notFound } from '../errors.js'
import { MAX_PAGE_SIZE } from '../limits/known-limits.js'
import * as store from '../store/app-instance.js'
import { type CallContext, teamIdFor, visibilityOf } from './caller/caller.js'
import { type Page, type PageRequest, pageOf } from './paging.js'
import { getObject, updateObject } from './standard-methods.js'
import { standardResource } from './standard-resource.js'
import { listAcrossTeams, type TeamListRequest } from './team-list.js'

/** Installations of apps; `listAppInstances` lists them. */
export const appInstances = standardResource(store.appInstanceStore)

/**
 * A page of the app instances that a team owns or that are shared with it, or of those of every team, in creation
 * order. Throws `TEAM_REQUIRED`, `PAGE_TOKEN_INVALID`, `RESOURCE_NOT_FOUND` for the team, and `PERMISSION_MISSING`
 * without `apps:read` in it.
 */
export async function listAppInstances(context: CallContext, request: TeamListRequest): Promise<Page> {
  const teamId = await teamIdFor(context.reads, context.caller, request.teamId)
  return listAcrossTeams(context, appInstances, { ...request, teamId, usualSize: MAX_PAGE_SIZE })
}

/**
 * A page of the teams that an app instance is shared with, in the order of their ids, whether or not the caller has
 * access to them. Throws `RESOURCE_NOT_FOUND`, `PERMISSION_MISSING` without `apps:read` in the team that owns it, and
 * `PAGE_TOKEN_INVALID`.
 */
export async function listAppInstanceShares(
  context: CallContext,
  { id: appInstanceId, ...request }: PageRequest & { readonly id: string },
): Promise<Page> {
  await getObject(context, appInstances, appInstanceId)
  const list = { organizationId: context.caller.organizationId, appInstanceId }
  return pageOf(context, request, {
    method: 'ListAppInstanceShares',
    filter: { appInstanceId },
    read: (range) => store.listAppInstanceShares(context.reads, { ...list, ...range }),
    count: () => store.countAppInstanceShares(context.reads, list),
  })
}

/**
 * Shares an app instance with another team, or stops sharing it. Throws `RESOURCE_NOT_FOUND` for the app instance and
 * for the team, `PERMISSION_MISSING` without `apps:write` in the team that owns the app instance, and `FIELD_INVALID`
 * if that team is to share it with itself.
 */
export async function shareAppInstance(
  context: CallContext,
  { id, teamId }: { readonly id: string; readonly teamId: string },
  isShared: boolean,
): Promise<void> {
  const { organizationId, teamIds } = visibilityOf(context.caller)
  const action = isShared ? 'app_instance.share' : 'app_instance.unshare'
  const change = async (before: AppInstanceModel, _: Date, transaction: Tables) => {
    const known = await store.appInstanceStore.owner?.teams(transaction, { organizationId, teamIds, ids: [teamId] })
    if (!known?.has(teamId)) throw notFound('team', teamId)
    if (teamId === before.teamId) throw invalidField('teamId', 'already owns the app instance: name another team')
    await store.setAppInstanceShare(transaction, before, teamId, isShared)
    return {}
  }
  await updateObject(context, appInstances, id, change, action)
}
