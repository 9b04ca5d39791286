import type { WebhookEndpointModel } from '../../../gen/prisma/models.js'
import type { Tables } from '../../db/tables.js'
import { destinationFrom } from '../../egress/webhook-destination.js'
import type { SendResult } from '../../egress/webhook-sender.js'
import { ServiceError } from '../../errors.js'
import type { Runtime } from '../../runtime/runtime.js'
import { findFeedEnd, readFeedStates } from '../../store/event.js'
import { takeLocks } from '../../store/lock.js'
import type { PrintedObject } from '../../store/resource/print.js'
import { countWantedEvents } from '../../store/webhook-cursor.js'
import {
  countEndpoints,
  type EndpointKey,
  type EndpointTarget,
  webhookEndpointStore,
} from '../../store/webhook-endpoint.js'
import type { CallContext } from '../caller/caller.js'
import { createObject, type StandardChanges, updateObject } from '../standard-methods.js'
import { standardResource } from '../standard-resource.js'
import type { WebhookTools } from './delivery.js'
import { disableWithEvent, makerOf, requireReader } from './maker.js'
import { newSigningKeys } from './signature.js'

export type EndpointValues = Partial<WebhookEndpointModel>

export type EndpointChanges = StandardChanges<WebhookEndpointModel>

export const webhookEndpoints = standardResource(webhookEndpointStore)

/** An endpoint, and its new secret, which cannot be read again. */
interface WithSecret {
  readonly endpoint: PrintedObject
  readonly secret: string
}

/** How many endpoints an organization may have: each event makes as many requests. */
const MAX_ENDPOINTS = 100

/**
 * Creates an endpoint, enabled or not, for the events from now on. Throws `SEAL_KEY_MISSING`, `FIELD_INVALID` for the URL,
 * `TOO_MANY_OBJECTS`, and whatever `createObject` throws.
 */
export function createEndpoint(
  context: CallContext,
  { allowance, secrets }: WebhookTools,
  { hasPublicKey, ...given }: EndpointValues & { readonly url: string; readonly hasPublicKey: boolean },
): Promise<WithSecret> {
  destinationFrom(given.url, allowance)
  secrets.requireKey()
  const { organizationId } = context.caller
  const { keys, publicKey } = newSigningKeys(context.runtime, hasPublicKey)
  return context.tables.transaction(async (tables) => {
    await takeLocks(tables, [{ kind: 'endpoints', organizationId }])
    if ((await countEndpoints(tables, organizationId)) >= MAX_ENDPOINTS) {
      throw new ServiceError(
        'TOO_MANY_OBJECTS',
        `the organization has ${MAX_ENDPOINTS} webhook endpoints: delete one`,
        {
          metadata: { limit: String(MAX_ENDPOINTS) },
        },
      )
    }
    const [feed] = await readFeedStates(tables, { organizationIds: [organizationId] })
    const values = {
      ...given,
      ...(given.status === 'DISABLED' && { disabledReason: 'REQUEST' as const }),
      publicKey,
      position: BigInt(feed?.position ?? 0),
      ...makerOf(context.caller),
    }
    const complete = () => {
      requireReader(context.caller, given.teamId)
      return values
    }
    const id = context.runtime.newId()
    const endpoint = await createObject({ ...context, tables }, webhookEndpoints, values, complete, id)
    await secrets.add(tables, { organizationId, id }, keys, context.runtime)
    return { endpoint, secret: keys.secret }
  })
}

/** Changes an endpoint and returns it. Throws `FIELD_INVALID` for the URL, and as `updateObject` does. */
export function updateEndpoint(
  context: CallContext,
  { allowance }: WebhookTools,
  id: string,
  values: EndpointValues,
  requireUnchanged?: (before: WebhookEndpointModel) => void,
): Promise<PrintedObject> {
  if (values.url !== undefined) destinationFrom(values.url, allowance)
  return changeSent(context, id, (before) => {
    requireUnchanged?.(before)
    return { ...values, ...makerOf(context.caller) }
  })
}

/**
 * Changes an endpoint in a way that may send it other events. Throws what `updateObject` throws, and
 * `PERMISSION_MISSING` without `audit:read` where the endpoint belongs.
 */
export function changeSent(
  context: CallContext,
  id: string,
  changes: EndpointChanges,
  action?: Parameters<typeof updateObject>[4],
): Promise<PrintedObject> {
  const judged: EndpointChanges = (before, now, transaction) => {
    requireReader(context.caller, before.teamId)
    return changes(before, now, transaction)
  }
  return updateObject(context, webhookEndpoints, id, judged, action)
}

/** Gives an endpoint new keys. Throws `SEAL_KEY_MISSING`, and as `updateObject` does. */
export async function rotateEndpointSecret(
  context: CallContext,
  { secrets }: WebhookTools,
  id: string,
): Promise<WithSecret> {
  secrets.requireKey()
  const key = { organizationId: context.caller.organizationId, id }
  let secret = ''
  const endpoint = await changeSent(
    context,
    id,
    async (before, _now, transaction) => {
      const made = newSigningKeys(context.runtime, before.publicKey !== '')
      await secrets.add(transaction, key, made.keys, context.runtime)
      secret = made.keys.secret
      return { publicKey: made.publicKey, ...makerOf(context.caller) }
    },
    'webhook_endpoint.rotate_secret',
  )
  return { endpoint, secret }
}

/** Enables or disables an endpoint, and returns it. Throws what `updateObject` throws. */
export function setEndpointEnabled(context: CallContext, id: string, isEnabled: boolean): Promise<PrintedObject> {
  const values: EndpointValues = isEnabled
    ? { status: 'ENABLED', disabledReason: null, failingSince: null, ...makerOf(context.caller) }
    : { status: 'DISABLED', disabledReason: 'REQUEST' }
  const action = isEnabled ? 'webhook_endpoint.enable' : 'webhook_endpoint.disable'
  const changes: EndpointChanges = ({ status }) => (status === values.status ? {} : values)
  if (isEnabled) return changeSent(context, id, changes, action)
  return updateObject(context, webhookEndpoints, id, changes, action)
}

/**
 * Sends an endpoint all events again from a position on, and returns how many of them it subscribes to. Throws
 * `EVENT_CURSOR_OUT_OF_RANGE` if the feed does not have the position, and what `updateObject` throws.
 */
export async function replayEndpoint(context: CallContext, id: string, position: bigint): Promise<number> {
  const { organizationId } = context.caller
  let replayed = 0
  await changeSent(
    context,
    id,
    async (_before, _now, transaction) => {
      const first = await findFeedEnd(transaction, organizationId, 'first')
      const last = await findFeedEnd(transaction, organizationId, 'last')
      if (position < BigInt(first?.position ?? 1) || position > BigInt(last?.position ?? 0)) {
        const fault = 'the event at the position is no longer kept, or does not exist yet'
        const metadata = { earliestPosition: first?.position ?? '0' }
        throw new ServiceError('EVENT_CURSOR_OUT_OF_RANGE', `${fault}: see the positions of ListEvents`, { metadata })
      }
      const events = Number(BigInt(last?.position ?? 0) - position) + 1
      const looked = await countWantedEvents(transaction, { organizationId, id, from: String(position), events })
      replayed = looked?.wanted ?? 0
      return { position: position - 1n }
    },
    'webhook_endpoint.replay',
  )
  return replayed
}

/** An endpoint is disabled after nothing but failures for so long. */
const FAILING_MILLIS = 5 * 86_400_000

/**
 * Disables an endpoint after a failed attempt if it answered 410, or has failed for five days, and returns why;
 * undefined if it stays as it is, or was repaired in the meantime.
 */
export async function disableFailing(
  database: Tables,
  { organizationId, id, url, failingSince }: EndpointKey & EndpointTarget,
  { responseStatus }: Pick<SendResult, 'responseStatus'>,
  runtime: Runtime,
): Promise<'GONE' | 'FAILURES' | undefined> {
  const hasFailedLong = failingSince !== null && runtime.now().getTime() - failingSince.getTime() >= FAILING_MILLIS
  const reason = responseStatus === 410 ? 'GONE' : hasFailedLong ? 'FAILURES' : undefined
  if (reason === undefined) return undefined
  const judged = { organizationId, id, ...(reason === 'GONE' ? { url } : { failingSince }) }
  return (await disableWithEvent(database, judged, reason, runtime)) ? reason : undefined
}
