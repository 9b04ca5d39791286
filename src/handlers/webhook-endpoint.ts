import type { ServiceImpl } from '@connectrpc/connect'
import {
  WebhookDeliveryStatus,
  type WebhookEndpointService,
  WebhookEndpointStatus,
  WebhookMode,
} from '../../gen/svc/v2/webhook_endpoint_pb.js'
import { isDelivered } from '../domain/webhook/delivery.js'
import { listDeliveries, recover, resend } from '../domain/webhook/delivery-list.js'
import {
  createEndpoint,
  replayEndpoint,
  rotateEndpointSecret,
  setEndpointEnabled,
  updateEndpoint,
  webhookEndpoints,
} from '../domain/webhook/endpoint.js'
import { testEndpoint } from '../domain/webhook/test-send.js'
import { auditActionsFrom } from './event.js'
import { type HandlerTools, nameOf } from './handler-tools.js'
import { rawJson, rawJsonList, rawJsonWithEtag, withEtag } from './raw-json.js'
import { callContextOf } from './request-context.js'
import { createdValues, unchangedCheck, updatedValues } from './standard-methods.js'

/** The methods of webhook endpoints that are not standard, or show a secret. */
export function createWebhookEndpointHandlers({
  webhooks,
  feedSignals: signals,
}: HandlerTools): Partial<ServiceImpl<typeof WebhookEndpointService>> {
  return {
    createWebhookEndpoint: async (request, context) => {
      auditActionsFrom(request.types, 'types')
      const { url, hasPublicKey } = request
      const mode = request.mode || WebhookMode.UNORDERED
      const status = request.status || WebhookEndpointStatus.ENABLED
      const given = createdValues(webhookEndpoints, { ...request, mode, status }, context)
      const { endpoint, secret } = await createEndpoint(callContextOf(context), webhooks, {
        ...given,
        url,
        hasPublicKey,
      })
      return rawJsonWithEtag(context, endpoint, { secret })
    },
    updateWebhookEndpoint: async (request, context) => {
      auditActionsFrom(request.types, 'types')
      const changes = updatedValues(webhookEndpoints, request, context)
      const unchanged = unchangedCheck(webhookEndpoints.store, request, context.method.input)
      return rawJsonWithEtag(
        context,
        await updateEndpoint(callContextOf(context), webhooks, request.id, changes, unchanged),
      )
    },
    rotateWebhookEndpointSecret: async ({ id }, context) => {
      const { endpoint, secret } = await rotateEndpointSecret(callContextOf(context), webhooks, id)
      return rawJsonWithEtag(context, endpoint, { secret })
    },
    enableWebhookEndpoint: withEtag((callContext, { id }) => setEndpointEnabled(callContext, id, true)),
    disableWebhookEndpoint: withEtag((callContext, { id }) => setEndpointEnabled(callContext, id, false)),
    testWebhookEndpoint: async ({ id }, context) => {
      const result = await testEndpoint(callContextOf(context), { webhooks, signals, signal: context.signal }, id)
      const { responseStatus, responseBody, error } = result
      const status = responseStatus === null ? {} : { responseStatus }
      return { delivered: isDelivered(result), ...status, responseBody, error }
    },
    recoverWebhookEndpoint: async ({ id, since }, context) => ({
      recovered: await recover(callContextOf(context), id, since),
    }),
    replayWebhookEndpoint: async ({ id, position }, context) => ({
      replayed: await replayEndpoint(callContextOf(context), id, position),
    }),
    listWebhookDeliveries: async ({ status, ...request }, context) => {
      const query = { ...request, status: nameOf(WebhookDeliveryStatus, status) ?? ('' as const) }
      return rawJsonList(context, await listDeliveries(callContextOf(context), query))
    },
    resendWebhookDelivery: async ({ webhookEndpointId, id }, context) =>
      rawJson(context, await resend(callContextOf(context), webhookEndpointId, id)),
  }
}
