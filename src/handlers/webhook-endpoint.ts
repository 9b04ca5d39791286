import { isFieldSet } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import {
  CreateWebhookEndpointRequestSchema,
  CreateWebhookEndpointResponseSchema,
  DisableWebhookEndpointResponseSchema,
  EnableWebhookEndpointResponseSchema,
  ListWebhookDeliveriesResponseSchema,
  ResendWebhookDeliveryResponseSchema,
  RotateWebhookEndpointSecretResponseSchema,
  UpdateWebhookEndpointRequestSchema,
  UpdateWebhookEndpointResponseSchema,
  WebhookDeliveryStatus,
  type WebhookEndpointService,
  WebhookMode,
} from '../../gen/svc/v2/webhook_endpoint_pb.js'
import type { PageTokens } from '../domain/paging.js'
import { entityTagOf } from '../domain/value/entity-tag.js'
import { isDelivered } from '../domain/webhook/delivery.js'
import { listDeliveries, recover, resend } from '../domain/webhook/delivery-list.js'
import {
  createEndpoint,
  replayEndpoint,
  rotateEndpointSecret,
  setEndpointEnabled,
  testEndpoint,
  updateEndpoint,
  type WebhookTools,
  webhookEndpoints,
} from '../domain/webhook/endpoint.js'
import { auditActionFrom } from './event.js'
import { printedAnswer, printedPage } from './printed-answer.js'
import { scopeOf } from './request-context.js'
import { taggedAnswer } from './standard-methods.js'

/** What the handlers of webhook endpoints depend on. */
export interface WebhookHandlersOptions {
  readonly webhooks: WebhookTools
  readonly pageTokens: PageTokens
}

/** The methods of webhook endpoints that are not standard, or show a secret. */
export function createWebhookEndpointHandlers({
  webhooks,
  pageTokens,
}: WebhookHandlersOptions): Partial<ServiceImpl<typeof WebhookEndpointService>> {
  const { valuesOf } = webhookEndpoints.store
  return {
    createWebhookEndpoint: async (request, context) => {
      requireKnown(request.types)
      const { url, hasPublicKey, teamId } = request
      const mode = request.mode || WebhookMode.UNORDERED
      const names = CreateWebhookEndpointRequestSchema.fields.map(({ localName }) => localName)
      const given = { ...valuesOf({ ...request, mode }, names), teamId }
      const { json, secret } = await createEndpoint(scopeOf(context), webhooks, { ...given, url, hasPublicKey })
      context.responseHeader.set('etag', entityTagOf(json))
      return printedAnswer(CreateWebhookEndpointResponseSchema, json, { secret })
    },
    updateWebhookEndpoint: async (request, context) => {
      requireKnown(request.types)
      const { fields } = UpdateWebhookEndpointRequestSchema
      const given = fields.filter((field) => isFieldSet(request, field)).map(({ localName }) => localName)
      const values = valuesOf(request, [...given.filter((name) => name !== 'id'), ...request.clearFields])
      const changes = { ...values, url: request.url }
      const json = await updateEndpoint(scopeOf(context), webhooks, request.id, changes)
      return taggedAnswer(UpdateWebhookEndpointResponseSchema, json, context)
    },
    rotateWebhookEndpointSecret: async ({ id }, context) => {
      const { json, secret } = await rotateEndpointSecret(scopeOf(context), webhooks, id)
      context.responseHeader.set('etag', entityTagOf(json))
      return printedAnswer(RotateWebhookEndpointSecretResponseSchema, json, { secret })
    },
    enableWebhookEndpoint: async ({ id }, context) => {
      const json = await setEndpointEnabled(scopeOf(context), id, true)
      return taggedAnswer(EnableWebhookEndpointResponseSchema, json, context)
    },
    disableWebhookEndpoint: async ({ id }, context) => {
      const json = await setEndpointEnabled(scopeOf(context), id, false)
      return taggedAnswer(DisableWebhookEndpointResponseSchema, json, context)
    },
    testWebhookEndpoint: async ({ id }, context) => {
      const result = await testEndpoint(scopeOf(context), webhooks, id, context.signal)
      const { responseStatus, responseBody, error } = result
      const status = responseStatus === null ? {} : { responseStatus }
      return { delivered: isDelivered(result), ...status, responseBody, error }
    },
    recoverWebhookEndpoint: async ({ id, since }, context) => ({
      recovered: await recover(scopeOf(context), id, since),
    }),
    replayWebhookEndpoint: async ({ id, position }, context) => {
      await replayEndpoint(scopeOf(context), id, position)
      return {}
    },
    listWebhookDeliveries: async ({ status, ...request }, context) => {
      const query = { ...request, status: statuses[status] }
      return printedPage(ListWebhookDeliveriesResponseSchema, await listDeliveries(scopeOf(context), query, pageTokens))
    },
    resendWebhookDelivery: async ({ webhookEndpointId, id }, context) =>
      printedAnswer(ResendWebhookDeliveryResponseSchema, await resend(scopeOf(context), webhookEndpointId, id)),
  }
}

/** Refuses types of which there are no events. */
function requireKnown(types: readonly string[]): void {
  for (const [index, type] of types.entries()) auditActionFrom(type, `types[${index}]`)
}

const statuses = {
  [WebhookDeliveryStatus.UNSPECIFIED]: '',
  [WebhookDeliveryStatus.PENDING]: 'PENDING',
  [WebhookDeliveryStatus.SUCCEEDED]: 'SUCCEEDED',
  [WebhookDeliveryStatus.FAILED]: 'FAILED',
} as const
