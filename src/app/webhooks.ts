import type { Config } from '../config.js'
import { createDeliver } from '../domain/webhook/delivery.js'
import type { WebhookTools } from '../domain/webhook/endpoint.js'
import { createSecretStore } from '../domain/webhook/secret-store.js'
import { createWebhookSender } from '../egress/webhook-sender.js'
import type { Runtime } from '../runtime/runtime.js'

/** Makes what sends webhooks. */
export function createWebhooks({
  config: { sealKeys, webhookAllow: allowance, webhookProxy: proxy },
  runtime,
}: {
  readonly config: Pick<Config, 'sealKeys' | 'webhookAllow' | 'webhookProxy'>
  readonly runtime: Runtime
}): WebhookTools {
  const secrets = createSecretStore(sealKeys)
  return {
    allowance,
    secrets,
    deliver: createDeliver({ secrets, send: createWebhookSender({ allowance, proxy }), runtime }),
  }
}
