import { createAuthentication } from './app/authentication.js'
import { createCalls } from './app/calls.js'
import { createKeyCheck } from './app/key-check.js'
import { createLifecycle } from './app/lifecycle.js'
import { createProtocols } from './app/protocols.js'
import { type AppOptions, createServiceTables } from './app/tables.js'
import type { Config } from './config.js'
import { systemTiming } from './db/retries.js'
import { FeedSignals } from './domain/event/feed-signals.js'
import { runSequencer } from './domain/event/sequencer.js'
import { runSweeper } from './domain/sweeper.js'
import { MAX_IN_FLIGHT, type WebhookTools } from './domain/webhook/delivery.js'
import { runDispatcher } from './domain/webhook/dispatcher.js'
import { createSecretStore } from './domain/webhook/secret-store.js'
import { createWebhookSender } from './egress/webhook-sender.js'
import { createCallLimit } from './http/call-limit.js'
import { createRequestHandler } from './http/request-handler.js'
import { createHttpServer } from './http/server.js'
import { createLimitCheck } from './limits/limit-check.js'
import { Semaphore } from './runtime/semaphore.js'

/** Builds the service once, ready to listen: every pool, cache and clock that it uses is made here or passed in. */
export function createApp(options: AppOptions) {
  const { config, database, runtime, log, meters, tracing } = options
  const feedSignals = new FeedSignals()
  const tables = createServiceTables(options)
  const authentication = createAuthentication({ config, tables, runtime, log })
  const callLimit = createCallLimit(config.maxRunningCalls)
  const limitCheck = createLimitCheck()
  const webhooks = createWebhooks(config)
  const keyCheck = createKeyCheck({ config, tables: tables.shared, secrets: webhooks.secrets, runtime, log })
  const lifecycle = createLifecycle(options, keyCheck)
  const parts = { ...options, lifecycle, tables, authentication, callLimit, limitCheck, feedSignals, webhooks }
  const calls = createCalls(parts)
  const handler = createRequestHandler({
    protocols: createProtocols({ ...parts, calls }),
    onGone: calls.onGone,
    observer: meters?.requests,
    traceIdOf: (request) => tracing?.callOf(request)?.traceId,
    callerIdOf: calls.callerIdOf,
    newId: runtime.newId,
    log,
  })
  const server = createHttpServer(handler, {
    idleMillis: config.idleSeconds * 1000,
    headerMillis: config.headerSeconds * 1000,
    requestMillis: config.requestSeconds * 1000,
    maxHeaderBytes: config.maxHeaderBytes,
    maxStreams: config.maxStreams,
    maxConnections: config.maxConnections,
    identity: options.tlsIdentity,
  })
  const { traffic, certificateExpiry } = server
  meters?.watch({ database, callLimit, feedSignals, traffic, certificateExpiry, isReady: lifecycle.isReady })
  // Nothing may throw once background work is started.
  const background = {
    database: tables.shared,
    log,
    runtime,
    timing: systemTiming,
    signal: lifecycle.closing,
  }
  const observer = meters?.events
  const sweeper = runSweeper({ ...background, clock: database.clock, retention: config, observer, keyCheck })
  const sequencer = runSequencer({ ...background, signals: feedSignals, observer })
  const dispatcher = runDispatcher({ ...background, ...webhooks, signals: feedSignals, observer: meters?.webhooks })
  return {
    listen: server.listen,
    /** Uses another certificate for new connections. Throws if the service speaks cleartext. */
    useTlsIdentity: server.useIdentity,
    runningCalls: () => callLimit.running,
    /**
     * Reports that the service is not ready, still accepts connections for `drainMillis` so that a balancer can notice,
     * waits for running calls, and ends the background work.
     */
    close: (drainMillis = 0) =>
      lifecycle.close(server, drainMillis, () =>
        Promise.all([sweeper, sequencer, dispatcher, authentication.keyUses.flush()]),
      ),
  }
}

export function createWebhooks({
  sealKeys,
  webhookAllow: allowance,
  webhookProxy: proxy,
}: Pick<Config, 'sealKeys' | 'webhookAllow' | 'webhookProxy'>): WebhookTools {
  const send = createWebhookSender({ allowance, proxy })
  return { allowance, secrets: createSecretStore(sealKeys), send, sends: new Semaphore(MAX_IN_FLIGHT) }
}
