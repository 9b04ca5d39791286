import { create, type Message } from '@bufbuild/protobuf'
import { ConnectError } from '@connectrpc/connect'
import { checkBodyHeaders, deferMalformed, isEmptyBody, readBody } from '../call/body-reader.js'
import { Call } from '../call/call.js'
import { bodyTypeFromHeader } from '../call/content-type.js'
import { createTimeoutReader, type ReadTimeout, type Timeout } from '../call/deadline.js'
import { methodNotAllowed, pathNotFound, unsupportedMediaType } from '../call/http-failure.js'
import { invokeStreaming, invokeUnary, once } from '../call/invoke.js'
import {
  cutResponse,
  headerOf,
  isEnded,
  mayHaveBody,
  type NodeHandler,
  type NodeRequest,
  type NodeResponse,
} from '../call/node-http.js'
import { endResponse } from '../call/respond.js'
import { createShutdown, type Shutdown } from '../call/shutdown.js'
import { createErrorResponder, type ErrorResponder } from './error-response.js'
import { nearestPath } from './nearest-path.js'
import type { RestTranscoderOptions } from './options.js'
import { parseRequestTarget } from './request-target.js'
import { createRouteTable, type Route } from './route-table.js'
import type { RouteMatch } from './route-trie.js'
import { sendStream } from './stream-response.js'
import { codingOf, sendUnary } from './unary-response.js'

/**
 * Creates the transcoder: a request handler of `node:http` and `node:http2` that serves every method with a
 * `google.api.http` rule of the services that `routes` registers. Faults in the rules are thrown here, all in one error.
 */
export function createRestTranscoder(options: RestTranscoderOptions): NodeHandler {
  const { trie, defaultPaths, json, templates } = createRouteTable(options)
  const { fallback } = options
  const errors = createErrorResponder(options, json)
  const shared: Shared = {
    options,
    errors,
    shutdown: createShutdown(options.shutdownSignal),
    readTimeout: createTimeoutReader(options),
  }

  return (request, response) => {
    const { path, query } = parseRequestTarget(request.url ?? '/')
    const method = request.method ?? 'GET'
    if (fallback !== undefined && defaultPaths.has(path) && isRpc(request, query)) return fallback(request, response)
    const match = trie.find(path, method)
    if (match !== undefined) {
      serve({ match, query, shared }, request, response).catch((cause: unknown) => {
        // Only a header that Node refuses gets here: there is no way left to answer.
        errors.publicError(cause, match.route.method, request)
        cutResponse(response)
      })
      return
    }
    const allowed = trie.allowed(path)
    if (allowed.length === 0 && fallback !== undefined) fallback(request, response)
    else if (method === 'OPTIONS' && path === '*') endResponse(request, response, 204, {}, '')
    else if (allowed.length === 0) errors.send(pathNotFound(path, nearestPath(path, templates)), request, response)
    else if (method === 'OPTIONS') endResponse(request, response, 204, { allow: allowed.join(', ') }, '')
    else errors.send(methodNotAllowed(method, allowed), request, response)
  }
}

const RPC_TYPE = /^application\/(?:grpc|connect\+|proto(?:$|;))/i
const CONNECT_GET = /(?:^|&)connect=v1(?:&|$)/

// Whether a request to the path of an RPC uses one of the RPC protocols.
function isRpc(request: NodeRequest, query: string): boolean {
  if (request.method === 'GET') return CONNECT_GET.test(query)
  return 'connect-protocol-version' in request.headers || RPC_TYPE.test(headerOf(request, 'content-type') ?? '')
}

/** What all requests share. */
interface Shared {
  readonly options: RestTranscoderOptions
  readonly errors: ErrorResponder
  readonly shutdown: Shutdown
  readonly readTimeout: ReadTimeout
}

/** A request whose route is found. */
interface Matched {
  readonly match: RouteMatch<Route>
  readonly query: string
  readonly shared: Shared
}

// Every failure is an answer, unless the client is gone.
async function serve(matched: Matched, request: NodeRequest, response: NodeResponse): Promise<void> {
  const { options, errors, shutdown, readTimeout } = matched.shared
  const { route } = matched.match
  const call = new Call(route.method, request, response, shutdown, 'rest', route.path)
  options.observer?.begun(call)
  try {
    const timeout = readTimeout(request, route.maxTimeoutMs)
    if (timeout.timeoutMs !== undefined) call.startDeadline(timeout.timeoutMs)
    const answered = answer(matched, call, timeout)
    // A stream watches its deadline itself, because part of it may have been sent.
    const isWhole = timeout.timeoutMs !== undefined && route.spec.kind === 'unary'
    await (isWhole ? call.unlessAborted(answered) : answered)
  } catch (cause) {
    const failure = errors.publicError(publicCause(call, cause), route.method, request)
    call.errorCode = failure.error.code
    if (!response.headersSent) errors.send(failure, request, response, call)
    else if (!isEnded(response)) cutResponse(response)
  }
  call.finish()
  options.observer?.ended(call)
}

// Work that failed because its call was aborted failed for the reason of the abort.
function publicCause(call: Call, cause: unknown): unknown {
  return call.abortReason !== undefined && !(cause instanceof ConnectError) ? call.abortReason : cause
}

async function answer(matched: Matched, call: Call, timeout: Timeout): Promise<void> {
  const { options, errors } = matched.shared
  const { route } = matched.match
  const { spec, binding } = route
  const bound = bindRequest(matched, call, timeout)
  if (spec.kind === 'server_streaming') {
    const message = bound instanceof Promise ? await call.unlessAborted(bound) : bound
    const messages = invokeStreaming(spec, route.interceptors, call, once(message))
    await sendStream(call, messages, binding.responseBody, codingOf(call, options), (cause) => {
      const { error } = errors.publicError(publicCause(call, cause), route.method, call.request)
      call.errorCode = error.code
      return errors.json(error)
    })
  } else {
    // Avoiding a turn of the event loop saves a noticeable part of the cost of a call.
    const message = bound instanceof Promise ? await bound : bound
    const compressed = sendUnary(route, call, await invokeUnary(spec, route.interceptors, call, message), options)
    if (compressed !== undefined) await compressed
  }
}

/** The request message; a promise if `admit` runs or a body is read first. */
function bindRequest(matched: Matched, call: Call, timeout: Timeout): Message | Promise<Message> {
  const { admit, beforeDecode } = matched.shared.options
  if (admit !== undefined || beforeDecode !== undefined || mayHaveBody(call.request)) {
    return receiveRequest(matched, call, timeout)
  }
  if (timeout.fault !== undefined) throw timeout.fault
  return decodeRequest(matched, emptyBodyReader(matched.match.route, call.request))
}

// The order of judgement: who may call, size and type of the body, `beforeDecode`, the deadline's own syntax, content.
async function receiveRequest(matched: Matched, call: Call, timeout: Timeout): Promise<Message> {
  const { admit, beforeDecode } = matched.shared.options
  const { route } = matched.match
  if (admit !== undefined) call.values = (await admit(call)) ?? call.values
  call.throwIfAborted()
  const bindBody = mayHaveBody(call.request)
    ? await receiveBody(route, call.request)
    : emptyBodyReader(route, call.request)
  if (beforeDecode !== undefined) await beforeDecode(call)
  call.throwIfAborted()
  if (timeout.fault !== undefined) throw timeout.fault
  return decodeRequest(matched, bindBody)
}

/** Fills a message from a body; throws for one that is malformed. */
type BodyReader = (message: Message) => void

function decodeRequest({ match, query }: Matched, bindBody: BodyReader | undefined): Message {
  const { binding, method } = match.route
  const message = create(method.input)
  bindBody?.(message)
  binding.bindPath(message, match.captures)
  if (query !== '') binding.bindQuery(message, query)
  binding.checkRequired?.(message)
  return message
}

/** Checks the size and type of the body and reads it; nothing is decoded until the returned function is called. */
async function receiveBody(route: Route, request: NodeRequest): Promise<BodyReader> {
  const { requestBody } = route.binding
  const codings = checkBodyHeaders(request, route.maxBodyBytes)
  const header = headerOf(request, 'content-type')
  const type = bodyTypeFromHeader(header)
  const { accepts } = requestBody
  if (accepts !== 'raw' && (type === undefined || !accepts.includes(type) || !route.requestTypes.includes(type))) {
    const taken = accepts.filter((each) => route.requestTypes.includes(each)).map((each) => MEDIA_TYPES[each])
    const given = header === undefined ? 'the content type is missing' : `content-type ${header} is not accepted here`
    // An empty body cannot be of a wrong type.
    if (headerOf(request, 'content-length') !== undefined || !(await isEmptyBody(request))) {
      throw unsupportedMediaType(`${given}: send Content-Type: ${taken.join(' or ')}`, { accept: taken.join(', ') })
    }
    return () => undefined
  }
  const read = await deferMalformed(async () => {
    const bytes = await readBody(request, codings, route.maxBodyBytes)
    return () => bytes
  })
  return (message) => requestBody.read(message, read(), type ?? 'json', header ?? '')
}

// An empty body still has its type if one was named (google.api.HttpBody).
function emptyBodyReader({ binding: { requestBody } }: Route, request: NodeRequest): BodyReader | undefined {
  const contentType = headerOf(request, 'content-type')
  if (requestBody.accepts !== 'raw' || contentType === undefined) return undefined
  return (message) => requestBody.read(message, new Uint8Array(), 'json', contentType)
}

const MEDIA_TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const
