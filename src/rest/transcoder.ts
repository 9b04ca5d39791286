import type { Message } from '@bufbuild/protobuf'
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import { createAsyncIterable } from '@connectrpc/connect/protocol'
import { type BodyTurns, checkBodyHeaders, createBodyTurns, isEmptyBody, readBody } from '../call/body-reader.js'
import { Call, createShutdown } from '../call/call.js'
import { bodyTypeFromHeader, bodyTypes, prefersEventStream } from '../call/content-type.js'
import { readTimeout } from '../call/deadline.js'
import { type HttpFailure, methodNotAllowed, pathNotFound, unsupportedMediaType } from '../call/http-failure.js'
import { invokeStreaming, invokeUnary } from '../call/invoke.js'
import { headerOf, mayHaveBody, type NodeHandler, type NodeRequest, type NodeResponse } from '../call/node-http.js'
import { endResponse } from '../call/respond.js'
import { type Exchange, serveCall } from '../call/serve-call.js'
import { invalidArgument } from '../protojson/invalid.js'
import { pathToString } from '../protojson/json-reader.js'
import { createRequiredSearch } from '../protojson/required-fields.js'
import type { Route } from './compile-route.js'
import { nearestPath } from './nearest-path.js'
import type { RestTranscoderOptions } from './options.js'
import { bytesOfParsedBody } from './parsed-body.js'
import { createRouteTable } from './route-table.js'
import type { RouteMatch } from './route-trie.js'
import { streamAnswer } from './stream-response.js'
import { createErrorResponder, sendUnary } from './whole-response.js'

/**
 * Creates the transcoder: a request handler of `node:http` and `node:http2` that serves every method with a
 * `google.api.http` rule of the services that `routes` registers. Faults in the rules are thrown here, all in one
 * error.
 */
export function createRestTranscoder(options: RestTranscoderOptions): NodeHandler {
  const { trie, defaultPaths, json, templates } = createRouteTable(options)
  const { fallback } = options
  const errors = createErrorResponder(options, json)
  const shutdown = createShutdown(options.shutdownSignal)
  const bodyTurns = createBodyTurns()
  const missingField = createRequiredSearch()

  function serve(
    { route, captures }: RouteMatch<Route>,
    query: string,
    request: NodeRequest,
    response: NodeResponse,
  ): Promise<void> {
    const { spec, interceptors } = route
    const { method } = spec
    const call = new Call({ method, request, response, shutdown, protocolName: 'rest', route: route.path })
    const timeout = readTimeout(request, route.maxTimeoutMs)
    const decode = (bindBody: BindBody | undefined): Message => {
      const message = reflect(method.input, undefined, false)
      bindBody?.(message)
      route.bindPath(message, captures)
      if (query !== '') route.bindQuery(message, query)
      const lastEventId = headerOf(request, 'last-event-id')
      // A browser reconnects with the URL of its first request.
      if (lastEventId && prefersEventStream(headerOf(request, 'accept'))) route.eventIds?.resume(message, lastEventId)
      const missing = missingField(message)
      if (missing !== undefined) throw invalidArgument(pathToString(missing, ''), 'is required')
      return message.message
    }
    const receive = () => {
      if (!mayHaveBody(request)) return () => decode(bindEmptyBody(route, request))
      return receiveBody(route, request, bodyTurns).then((bindBody) => () => decode(bindBody))
    }
    if (spec.kind === 'unary') {
      const exchange: Exchange<Message, Message> = {
        receive,
        invoke: (message) => invokeUnary(spec, interceptors, call, message),
        answer: (message) => sendUnary(route, call, message),
        fail: (failure) => errors.send(failure, request, response, call),
      }
      return serveCall(call, exchange, timeout, options)
    }
    const exchange: Exchange<Message, AsyncIterator<Message>> = {
      receive,
      invoke: (message) => invokeStreaming(spec, interceptors, call, createAsyncIterable([message])),
      ...streamAnswer(call, route, errors),
    }
    return serveCall(call, exchange, timeout, options)
  }

  async function refuse(failure: HttpFailure, request: NodeRequest, response: NodeResponse): Promise<void> {
    await options.beforeFailure?.(request)
    errors.send(failure, request, response)
  }

  return (request, response) => {
    const { path, query } = parseRequestTarget(request.url ?? '/')
    const method = request.method ?? 'GET'
    if (fallback !== undefined && defaultPaths.has(path) && isRpc(request, query)) return fallback(request, response)
    const match = trie.find(path, method)
    if (match !== undefined) {
      void serve(match, query, request, response)
      return
    }
    const allowed = trie.allowed(path)
    if (allowed.length === 0 && fallback !== undefined) fallback(request, response)
    else if (method === 'OPTIONS' && path === '*') endResponse(request, response, 204, {}, '')
    else if (allowed.length === 0) {
      void refuse(pathNotFound(path, nearestPath(path, [...templates.values()].flat())), request, response)
    } else if (method === 'OPTIONS') endResponse(request, response, 204, { allow: allowed.join(', ') }, '')
    else {
      void refuse(methodNotAllowed(method, allowed, nearestPath(path, templates.get(method) ?? [])), request, response)
    }
  }
}

const RPC_TYPE = /^application\/(?:grpc|connect\+|proto(?:$|;))/i
const CONNECT_GET = /(?:^|&)connect=v1(?:&|$)/

// Whether a request to the path of an RPC uses one of the RPC protocols.
function isRpc(request: NodeRequest, query: string): boolean {
  if (request.method === 'GET') return CONNECT_GET.test(query)
  return 'connect-protocol-version' in request.headers || RPC_TYPE.test(headerOf(request, 'content-type') ?? '')
}

/** Fills a message from a body; throws for one that is malformed. */
type BindBody = (message: ReflectMessage) => void

// An empty body still has its type if one was named (google.api.HttpBody).
function bindEmptyBody({ requestBody, accepts }: Route, request: NodeRequest): BindBody | undefined {
  const header = headerOf(request, 'content-type')
  if (accepts !== 'raw' || header === undefined) return undefined
  return (message) => requestBody.read(message, new Uint8Array(), 'json', header)
}

/** Checks the size and type of the body and reads it; nothing is decoded before the returned function is called. */
async function receiveBody(route: Route, request: NodeRequest, bodyTurns: BodyTurns): Promise<BindBody | undefined> {
  const { accepts, requestBody } = route
  const header = headerOf(request, 'content-type')
  const coding = checkBodyHeaders(request, route.maxBodyBytes)
  // A framework that parses bodies has read it to its end.
  const isRead = request.readableEnded
  const type = bodyTypeFromHeader(header)
  if (accepts !== 'raw' && (type === undefined || !accepts.includes(type))) {
    const taken = [...bodyTypes].flatMap(([name, each]) => (accepts.includes(each) ? name : []))
    const given = header === undefined ? 'the content type is missing' : `content-type ${header} is not accepted here`
    // An empty body cannot be of a wrong type.
    if (!isRead && headerOf(request, 'content-length') === undefined && (await isEmptyBody(request))) return undefined
    // Of a type that is accepted, it is the charset.
    const charset = taken.some((name) => header?.toLowerCase().startsWith(name)) ? ', in UTF-8' : ''
    const advice = `send Content-Type: ${taken.join(' or ')}${charset}`
    throw unsupportedMediaType(`${given}: ${advice}`, { accept: taken.join(', ') })
  }
  const bytes = isRead
    ? bytesOfParsedBody(request, type === 'json' && accepts !== 'raw', route.maxBodyBytes)
    : await readBody(request, coding, route.maxBodyBytes)
  await bodyTurns(bytes)
  return (message) => requestBody.read(message, bytes, type ?? 'json', header ?? '')
}

const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/

/**
 * Cuts a raw request target (RFC 9112, section 3.2) in origin or absolute form into its path and its query without `?`;
 * a fragment is dropped.
 */
export function parseRequestTarget(target: string) {
  let rest = target
  if (rest.charCodeAt(0) !== 0x2f) {
    rest = rest.replace(ABSOLUTE, '')
    if (rest === '' || rest.charCodeAt(0) === 0x3f) rest = `/${rest}`
  }
  const hash = rest.indexOf('#')
  if (hash >= 0) rest = rest.slice(0, hash)
  const mark = rest.indexOf('?')
  return mark < 0 ? { path: rest, query: '' } : { path: rest.slice(0, mark), query: rest.slice(mark + 1) }
}
