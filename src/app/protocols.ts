import type { Config } from '../config.js'
import { createRefusalRecorder } from '../domain/directory/directory-status.js'
import { addReason } from '../failure/error-reason.js'
import { fieldHint, maxValuesOf, outputOnlyNames } from '../handlers/method-options.js'
import { answerJsonOptions } from '../handlers/raw-json.js'
import { requestContextOf } from '../handlers/request-context.js'
import { createRoutes, services } from '../handlers/routes.js'
import { authErrorBody } from '../http/auth-error.js'
import { createCors } from '../http/cors.js'
import { withoutCredentials } from '../http/credential-redaction.js'
import { createPages } from '../http/pages.js'
import { createProbes } from '../http/probes.js'
import { type Protocols, requestIdOf } from '../http/request-handler.js'
import { baseUrlFor } from '../http/request-target.js'
import { httpFormOf } from '../limits/method-rules.js'
import { packageRoot, readBuild } from '../package.js'
import { createRestTranscoder } from '../rest/index.js'
import { createHealthRoutes, isWatch } from '../rpc/health.js'
import { createReflectionRoutes } from '../rpc/reflection.js'
import { createRpcHandler } from '../rpc/rpc-handler.js'
import { admitDirectory } from '../scim/admission.js'
import { createScimHandler } from '../scim/scim-handler.js'
import { type Calls, infrastructure, type Parts } from './calls.js'

type ProtocolParts = Parts & { readonly calls: Calls }

export function createProtocols(options: ProtocolParts): Protocols {
  const { config, authentication, limitCheck, calls, lifecycle } = options
  const { hasher, keyUses, bearerTokens } = authentication
  const { hooks, maxBodyBytes, maxTimeoutMs } = calls
  const routes = createRoutes({
    hasher,
    keyUses,
    bearerTokens,
    limitCheck,
    feedSignals: options.feedSignals,
    webhooks: options.webhooks,
    tally: options.meters?.tally,
  })
  const health = createHealthRoutes({
    services,
    closing: lifecycle.closing,
    isReady: lifecycle.isReady,
    clientAddressOf: (context) => requestContextOf(context).clientAddress(),
  })
  const reflection = createReflectionRoutes([...services, ...infrastructure])
  const root = packageRoot()
  const build = readBuild(root)
  return {
    preflight: createCors(config.corsOrigins),
    probe: createProbes(lifecycle.notReady, build),
    rpc: createRpcHandler({
      ...hooks,
      routes: (router) => {
        routes(router)
        health(router)
        reflection(router)
      },
      maxBodyBytes,
      maxTimeoutMs: (method) => (isWatch(method) ? undefined : maxTimeoutMs),
    }),
    page: createPages({
      publicUrl: config.publicUrl,
      publicUrlEu: config.publicUrlEu,
      trustProxy: config.trustProxy,
      root,
      version: build.version,
      console: config.console ? consoleOptionsFrom(config) : undefined,
      onError: (cause, request) => hooks.onError?.(cause, { method: undefined, request }),
    }),
    scim: createScim(options),
    rest: createRestTranscoder({
      ...hooks,
      routes,
      requestTypes: (method) => (httpFormOf(method).formEncoded ? ['form'] : ['json', 'ndjson']),
      maxValues: maxValuesOf,
      formRules: (method) => {
        const { ignoreUnknownFields: ignoreUnknown, mergeEqualFields: mergeEqual, anyText } = httpFormOf(method)
        return { ignoreUnknown, mergeEqual, anyText }
      },
      emptyResponse: (method) => httpFormOf(method).emptyResponse,
      eventIds: (method) => {
        const { eventId: id, lastEventId: lastId } = httpFormOf(method)
        return id === '' ? undefined : { id, lastId }
      },
      maxBodyBytes,
      jsonOptions: answerJsonOptions,
      fieldHint,
      ignoredFields: outputOnlyNames,
      errorBody: authErrorBody,
      completeError: addReason,
      maxTimeoutMs,
    }),
  }
}

function consoleOptionsFrom({ publicUrl, oidc, consoleOidcClientId: clientId, consoleOidcScopes: scopes }: Config) {
  if (oidc === undefined || clientId === undefined) return { publicUrl, signIn: undefined }
  const { issuer, audience } = oidc
  return { publicUrl, signIn: { issuer, audience, clientId, scopes } }
}

function createScim({
  config,
  runtime,
  log,
  tables,
  authentication,
  callLimit,
  calls,
}: ProtocolParts): Protocols['scim'] {
  return createScimHandler({
    ...calls.hooks,
    admit: async (request) => {
      const requestId = requestIdOf(request)
      const onCaller = (id: string) => calls.noteCaller(request, id)
      const directory = await admitDirectory(authentication, request.headers.authorization, requestId, onCaller)
      const { organizationId } = directory
      callLimit.begin(request, organizationId)
      return { ...directory, tables: tables.ofCall(request, { organizationId }), runtime, requestId }
    },
    baseUrlOf: (request) => baseUrlFor(request, config),
    maxBodyBytes: config.maxBodyBytes,
    maxTimeoutMs: calls.maxTimeoutMs,
    onRefusal: createRefusalRecorder({ database: tables.shared, runtime, redact: withoutCredentials, log }),
  })
}
