import type { JsonObject } from '@bufbuild/protobuf'
import { type BodyTurns, checkBodyHeaders, createBodyTurns, readBody } from '../call/body-reader.js'
import { Call, createShutdown } from '../call/call.js'
import { COMPRESS_MIN_BYTES, negotiateCoding } from '../call/compression.js'
import { parseMediaType } from '../call/content-type.js'
import { readTimeout } from '../call/deadline.js'
import { ifMatchOf } from '../call/entity-tag.js'
import { HttpFailure, unsupportedMediaType } from '../call/http-failure.js'
import { headerOf, mayHaveBody, type NodeRequest, type NodeResponse } from '../call/node-http.js'
import { endResponse, isNotModified, sendCompressed } from '../call/respond.js'
import { type CallHooks, type Exchange, serveCall } from '../call/serve-call.js'
import type { Directory } from '../domain/auth/authentication.js'
import type { DirectoryRefusal } from '../domain/directory/directory-status.js'
import type { DirectoryContext } from '../domain/directory/directory-sync.js'
import { DEFAULT_JSON_LIMITS, parseStrictJson } from '../protojson/json-text.js'
import { errorAnswer, ScimError, scimErrorFrom } from './error.js'
import { isJsonObject } from './json.js'
import { type ScimAnswer, ScimReport, type ScimRequest } from './request.js'
import { findRoute, methods, type ScimMatch } from './routes.js'

export const SCIM_PATH = '/scim/v2'

export interface ScimHandlerOptions extends Omit<CallHooks, 'admit' | 'beforeDecode' | 'interceptors'> {
  /** Makes the context of a request. Throws for a caller that is no directory. */
  readonly admit: (request: NodeRequest) => Promise<DirectoryContext>
  /** The address of the service as the client reaches it, without a slash at the end. */
  readonly baseUrlOf: (request: NodeRequest) => string
  readonly maxBodyBytes: number
  readonly maxTimeoutMs: number
  /**
   * Called, once a request is answered, if it was refused for its content, and for each value that was left out. Must
   * not throw.
   */
  readonly onRefusal: (directory: Directory, refusal: DirectoryRefusal) => void
}

/** Answers the paths of SCIM (RFC 7644); false for any other path. */
export function createScimHandler(
  options: ScimHandlerOptions,
): (request: NodeRequest, response: NodeResponse) => boolean {
  const shutdown = createShutdown(options.shutdownSignal)
  const bodyTurns = createBodyTurns()

  function serve(match: ScimMatch, query: string, request: NodeRequest, response: NodeResponse): Promise<void> {
    const { operation, path } = match.route
    const method = methods.get(operation)
    if (method === undefined) throw new Error(`the operation ${operation} is not described`)
    const route = `${SCIM_PATH}${path}`
    const call = new Call({ method, request, response, shutdown, protocolName: 'scim', route })
    const { admit, exchange } = scimCall(options, bodyTurns, call, match, query)
    return serveCall(call, exchange, readTimeout(request, options.maxTimeoutMs), { ...options, admit })
  }

  return (request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s)
    const below = pathBelow(path)
    if (below === undefined) return false
    try {
      if (below === '') {
        const url = `${options.baseUrlOf(request)}${SCIM_PATH}`
        const advice = `enter ${url} at the provider, which then sends requests such as ${url}/Users`
        throw new ScimError(404, undefined, `this is the address of SCIM, under which resources are: ${advice}`)
      }
      const match = findRoute(request.method ?? 'GET', below)
      if ('route' in match) void serve(match, query, request, response)
      else endResponse(request, response, 204, { allow: match.join(', ') }, '')
    } catch (cause) {
      if (!(cause instanceof HttpFailure)) throw cause
      void send(request, response, errorAnswer(scimErrorFrom(cause)))
    }
    return true
  }
}

/**
 * The part of a path below the address of SCIM: empty for the address itself, undefined for any other path. The address
 * is entered by hand at the provider, so repeated and trailing slashes and a missing version do not matter.
 */
function pathBelow(path: string): string | undefined {
  const below = /^\/+scim(?:\/+v2)?(?<below>\/.*)?$/i.exec(path)?.groups
  return below && (below['below'] ?? '').replace(/\/{2,}/g, '/').replace(/\/$/, '')
}

/** How a request of a directory is admitted, read and answered, and what its administrator sees. */
function scimCall(
  options: ScimHandlerOptions,
  bodyTurns: BodyTurns,
  { request, response, requestMethod: method }: Call,
  { route, id }: ScimMatch,
  query: string,
): { readonly admit: () => Promise<void>; readonly exchange: Exchange<ScimRequest, ScimAnswer> } {
  let admitted: DirectoryContext | undefined
  const report = new ScimReport()
  const record = (refusal: Pick<DirectoryRefusal, 'attribute' | 'status' | 'scimType' | 'detail'>) => {
    if (admitted === undefined) return
    const path = pathBelow((request.url ?? '').split('?', 1)[0] ?? '') ?? ''
    const { requestId } = admitted
    const { userName, externalId } = report
    options.onRefusal(admitted, { ...refusal, method, path, requestId, userName, externalId })
  }
  const exchange: Exchange<ScimRequest, ScimAnswer> = {
    receive: async () => {
      const context = admitted
      if (context === undefined) throw new Error('the request was not admitted before it was handled')
      const hasBody = ['POST', 'PUT', 'PATCH'].includes(route.method)
      const readBodyOf = hasBody ? await receiveBody(request, options.maxBodyBytes, bodyTurns) : () => ({})
      return () => ({
        context: { ...context, ifMatch: ifMatchOf(request) },
        id,
        query: new URLSearchParams(withLiteralPlus(query)),
        body: readBodyOf(),
        baseUrl: `${options.baseUrlOf(request)}${SCIM_PATH}`,
        report,
      })
    },
    invoke: route.handle,
    answer: async (answer) => {
      await send(request, response, answer)
      const { status } = answer
      for (const [attribute, detail] of report.leftOut) record({ attribute, status, scimType: 'invalidValue', detail })
    },
    fail: async (failure) => {
      const error = scimErrorFrom(failure)
      await send(request, response, errorAnswer(error))
      const { status, scimType = '', detail } = error
      // Nobody needs to know that a look-up finds nothing, or that the service is at fault.
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      if (status >= 400 && status < 500 && !(status === 404 && isRead))
        record({ attribute: '', status, scimType, detail })
    },
  }
  const admit = async () => {
    admitted = await options.admit(request)
  }
  return { admit, exchange }
}

/** The query in which a plus sign in quotes of a filter is no space, if spaces in it are `%20`. */
function withLiteralPlus(query: string): string {
  const parameters = query.split('&').map((parameter) => {
    if (!parameter.startsWith('filter=') || !parameter.includes('%20')) return parameter
    let isQuoted = false
    const parts = parameter.split(/((?:\\|%5C)?(?:"|%22))/i).map((part) => {
      if (part === '"' || part === '%22') isQuoted = !isQuoted
      return isQuoted ? part.replaceAll('+', '%2B') : part
    })
    return parts.join('')
  })
  return parameters.join('&')
}

const TYPES = ['application/scim+json', 'application/json']

/** Receives the body, and reads it as JSON only when the returned function is called. */
async function receiveBody(request: NodeRequest, maxBytes: number, bodyTurns: BodyTurns): Promise<() => JsonObject> {
  const coding = checkBodyHeaders(request, maxBytes)
  const type = headerOf(request, 'content-type')
  if (type !== undefined && mayHaveBody(request) && !TYPES.includes(parseMediaType(type)?.type ?? '')) {
    throw unsupportedMediaType(`content-type ${type} is not accepted: send application/scim+json`, {
      accept: TYPES.join(', '),
    })
  }
  const bytes = await readBody(request, coding, maxBytes)
  await bodyTurns(bytes)
  return () => {
    const body = bytes.length === 0 ? undefined : parseStrictJson(bytes, DEFAULT_JSON_LIMITS)
    if (!isJsonObject(body)) throw new ScimError(400, 'invalidSyntax', 'the body must be a JSON object')
    return body
  }
}

async function send(request: NodeRequest, response: NodeResponse, answer: ScimAnswer): Promise<void> {
  const { status, body, headers = {} } = answer
  if (isNotModified(request, headers)) return endResponse(request, response, 304, { etag: headers['etag'] }, '')
  const text = body === undefined ? '' : JSON.stringify(body)
  const sent = { ...headers, ...(body !== undefined && { 'content-type': 'application/scim+json' }) }
  const coding = text.length < COMPRESS_MIN_BYTES ? undefined : negotiateCoding(headerOf(request, 'accept-encoding'))
  if (coding === undefined) endResponse(request, response, status, sent, text)
  else await sendCompressed(request, response, status, { ...sent, vary: 'accept-encoding' }, text, coding)
}
