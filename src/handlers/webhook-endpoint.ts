import type { ServiceImpl } from '@connectrpc/connect'
import {
  WebhookDeliveryStatus,
  type WebhookEndpointService,
  WebhookMode,
} from '../../gen/svc/v2/webhook_endpoint_pb.js'
import { isDelivered } from '../domain/webhook/delivery.js'
import { listDeliveries, recover, resend } from '../domain/webhook/delivery-list.js'
import {
  createEndpoint,
  replayEndpoint,
  rotateEndpointSecret,
  setEndpointEnabled,
  testEndpoint,
  updateEndpoint,
  webhookEndpoints,
} from '../domain/webhook/endpoint.js'
import { auditActionsFrom } from './event.js'
import type { HandlerTools } from './handler-tools.js'
import { printedAnswer, printedList, tagged, taggedAnswer } from './printed-answer.js'
import { scopeOf } from './request-context.js'
import { createdValues, unchangedCheck, updatedValues } from './standard-methods.js'

/** The methods of webhook endpoints that are not standard, or show a secret. */
export function createWebhookEndpointHandlers({
  webhooks,
}: HandlerTools): Partial<ServiceImpl<typeof WebhookEndpointService>> {
  return {
    createWebhookEndpoint: async (request, context) => {
      auditActionsFrom(request.types, 'types')
      const { url, hasPublicKey, teamId } = request
      const mode = request.mode || WebhookMode.UNORDERED
      const given = { ...createdValues(webhookEndpoints, { ...request, mode }, context), teamId }
      const { json, secret } = await createEndpoint(scopeOf(context), webhooks, { ...given, url, hasPublicKey })
      return taggedAnswer(context, json, { secret })
    },
    updateWebhookEndpoint: async (request, context) => {
      auditActionsFrom(request.types, 'types')
      const changes = { ...updatedValues(webhookEndpoints, request, context), url: request.url }
      const unchanged = unchangedCheck(context.method.input, request)
      return taggedAnswer(context, await updateEndpoint(scopeOf(context), webhooks, request.id, changes, unchanged))
    },
    rotateWebhookEndpointSecret: async ({ id }, context) => {
      const { json, secret } = await rotateEndpointSecret(scopeOf(context), webhooks, id)
      return taggedAnswer(context, json, { secret })
    },
    enableWebhookEndpoint: tagged((scope, { id }) => setEndpointEnabled(scope, id, true)),
    disableWebhookEndpoint: tagged((scope, { id }) => setEndpointEnabled(scope, id, false)),
    testWebhookEndpoint: async ({ id }, context) => {
      const result = await testEndpoint(scopeOf(context), webhooks, id, context.signal)
      const { responseStatus, responseBody, error } = result
      const status = responseStatus === null ? {} : { responseStatus }
      return { delivered: isDelivered(result), ...status, responseBody, error }
    },
    recoverWebhookEndpoint: async ({ id, since }, context) => ({
      recovered: await recover(scopeOf(context), id, since),
    }),
    replayWebhookEndpoint: async ({ id, position }, context) => ({
      replayed: await replayEndpoint(scopeOf(context), id, position),
    }),
    listWebhookDeliveries: async ({ status, ...request }, context) => {
      const query = { ...request, status: statuses[status] }
      return printedList(context, await listDeliveries(scopeOf(context), query))
    },
    resendWebhookDelivery: async ({ webhookEndpointId, id }, context) =>
      printedAnswer(context, await resend(scopeOf(context), webhookEndpointId, id)),
  }
}

const statuses = {
  [WebhookDeliveryStatus.UNSPECIFIED]: '',
  [WebhookDeliveryStatus.PENDING]: 'PENDING',
  [WebhookDeliveryStatus.SUCCEEDED]: 'SUCCEEDED',
  [WebhookDeliveryStatus.FAILED]: 'FAILED',
} as const
