import type { DescMethod, JsonObject } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { checkBodyHeaders, readBody } from '../call/body-reader.js'
import { Call } from '../call/call.js'
import type { CallObserver } from '../call/call-observer.js'
import { negotiateCoding } from '../call/compression.js'
import { parseMediaType } from '../call/content-type.js'
import { createTimeoutReader } from '../call/deadline.js'
import { HttpFailure, unsupportedMediaType } from '../call/http-failure.js'
import { cutResponse, headerOf, mayHaveBody } from '../call/node-http.js'
import { endResponse, sendCompressed } from '../call/respond.js'
import { createShutdown } from '../call/shutdown.js'
import type { Database } from '../db/database.js'
import type { Directory } from '../domain/directory/directory-sync.js'
import { type ErrorLog, maskError } from '../failure/mask-errors.js'
import { DEFAULT_JSON_LIMITS } from '../protojson/json-shape.js'
import { parseStrictJson } from '../protojson/json-text.js'
import type { HttpRequest, HttpResponse } from '../rpc/http-message.js'
import type { Runtime } from '../runtime/runtime.js'
import { ScimError, scimErrorBody, scimErrorFromConnect, scimErrorFromHttp } from './error.js'
import { isJsonObject } from './json-object.js'
import { describeOperations } from './operations.js'
import { ScimReport } from './report.js'
import type { ScimAnswer, ScimRequest, ScimRoute } from './request.js'
import { createRouteTable, type ScimMatch } from './route-table.js'

/** Where the door is. */
export const SCIM_PATH = '/scim/v2'

/** A request that a directory was refused, or a value that was left out of one. */
export interface Refusal {
  readonly directory: Directory
  readonly method: string
  /** Below the door. */
  readonly path: string
  readonly requestId: string
  /** Whom the request is about, as the directory names the person; empty if that is not known. */
  readonly userName: string
  readonly externalId: string
  /** What was left out; empty if all was refused. */
  readonly attribute: string
  /** That of the answer. */
  readonly status: number
  readonly scimType: string
  readonly detail: string
}

/** What the door depends on. */
export interface ScimDoorOptions {
  readonly routes: readonly ScimRoute[]
  /** Finds the directory that a request writes for. Throws for a caller that is none. */
  readonly admit: (request: HttpRequest) => Promise<Directory>
  /** Called for each request that is admitted. Throws to refuse it. */
  readonly begin: (request: HttpRequest, organizationId: string) => void
  readonly runtime: Runtime
  /** The database as a call sees it. */
  readonly databaseOf: (request: HttpRequest, organizationId: string) => Database
  readonly requestIdOf: (request: HttpRequest) => string
  /** The address of the service as the client reaches it, without a slash at the end. */
  readonly baseUrlOf: (request: HttpRequest) => string
  readonly maxBodyBytes: number
  readonly maxTimeoutMs: number
  readonly shutdownSignal: AbortSignal
  readonly observer?: CallObserver | undefined
  /**
   * Told of requests that were refused for what they ask, and of each value that was left out, once the request is
   * answered. Must not throw.
   */
  readonly onRefusal?: ((refusal: Refusal) => void) | undefined
  readonly log: ErrorLog
}

/** Answers the paths of SCIM (RFC 7644); false for any other path. */
export function createScimDoor(options: ScimDoorOptions): (request: HttpRequest, response: HttpResponse) => boolean {
  const door = { options, shutdown: createShutdown(options.shutdownSignal) }
  const findRoute = createRouteTable(options.routes)
  const methodOf = describeOperations(options.routes.map(({ operation }) => operation))
  return (request, response) => {
    const target = request.url ?? ''
    const [path = '', query = ''] = target.split(/\?(.*)/s)
    if (path !== SCIM_PATH && !path.startsWith(`${SCIM_PATH}/`)) return false
    try {
      const match = findRoute(request.method ?? 'GET', path.slice(SCIM_PATH.length))
      if (!('route' in match)) endResponse(request, response, 204, { allow: match.join(', ') }, '')
      else void serve(door, methodOf(match.route.operation), { match, query }, request, response)
    } catch (cause) {
      void send(door, request, response, errorAnswer(errorFrom(door, cause, request, path)))
    }
    return true
  }
}

type Shared = { readonly options: ScimDoorOptions; readonly shutdown: ReturnType<typeof createShutdown> }

interface Matched {
  readonly match: ScimMatch
  readonly query: string
}

const readTimeout = createTimeoutReader({})

async function serve(
  door: Shared,
  method: DescMethod,
  matched: Matched,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  const { options, shutdown } = door
  const { route } = matched.match
  const call = new Call(method, request, response, shutdown, 'scim', `${SCIM_PATH}${route.path}`)
  options.observer?.begun(call)
  let directory: Directory | undefined
  const report = new ScimReport()
  const tell = (told: Pick<Refusal, 'attribute' | 'status' | 'scimType' | 'detail'>) => {
    if (directory === undefined) return
    const path = (request.url ?? '').split('?', 1)[0]?.slice(SCIM_PATH.length) ?? ''
    const { method: verb = '' } = request
    const { userName, externalId } = report
    const requestId = options.requestIdOf(request)
    options.onRefusal?.({ ...told, directory, method: verb, path, requestId, userName, externalId })
  }
  try {
    const { timeoutMs, fault } = readTimeout(request, options.maxTimeoutMs)
    call.startDeadline(timeoutMs ?? options.maxTimeoutMs)
    const work = async () => {
      directory = await options.admit(request)
      options.begin(request, directory.organizationId)
      if (fault !== undefined) throw fault
      const answer = await route.handle(await scimRequest(options, call, directory, matched, report))
      await send(door, request, response, answer)
      for (const [attribute, detail] of report.leftOut)
        tell({ attribute, status: answer.status, scimType: 'invalidValue', detail })
    }
    await call.unlessAborted(work())
  } catch (cause) {
    const failure = call.abortReason !== undefined && !(cause instanceof ScimError) ? call.abortReason : cause
    const error = errorFrom(door, failure, request, route.operation)
    call.errorCode = codeOf(error.status)
    await send(door, request, response, errorAnswer(error))
    const { status, scimType = '', detail } = error
    if (isRefusal(error, request)) tell({ attribute: '', status, scimType, detail })
  }
  call.finish()
  options.observer?.ended(call)
}

/** Whether an administrator should know: not that a look-up finds nothing, nor that the service is at fault. */
function isRefusal({ status }: ScimError, { method }: HttpRequest): boolean {
  return status >= 400 && status < 500 && !(status === 404 && (method === 'GET' || method === 'HEAD'))
}

async function scimRequest(
  options: ScimDoorOptions,
  call: Call,
  directory: Directory,
  { match, query }: Matched,
  report: ScimReport,
): Promise<ScimRequest> {
  const { request } = call
  const { method } = match.route
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH'
  const body = hasBody ? await bodyOf(request, options.maxBodyBytes) : {}
  call.throwIfAborted()
  return {
    directory,
    parameters: match.parameters,
    query: new URLSearchParams(query),
    body,
    ifNoneMatch: headerOf(request, 'if-none-match'),
    baseUrl: `${options.baseUrlOf(request)}${SCIM_PATH}`,
    database: options.databaseOf(request, directory.organizationId),
    context: {
      runtime: options.runtime,
      requestId: options.requestIdOf(request),
      ifMatch: headerOf(request, 'if-match'),
      signal: call.signal,
      timeoutMillis: call.timeoutMs(),
    },
    report,
  }
}

const TYPES = ['application/scim+json', 'application/json']

async function bodyOf(request: HttpRequest, maxBytes: number): Promise<JsonObject> {
  const codings = checkBodyHeaders(request, maxBytes)
  const type = headerOf(request, 'content-type')
  if (type !== undefined && mayHaveBody(request) && !TYPES.includes(parseMediaType(type)?.type ?? '')) {
    throw unsupportedMediaType(`content-type ${type} is not accepted: send application/scim+json`, {
      accept: TYPES.join(', '),
    })
  }
  const bytes = await readBody(request, codings, maxBytes)
  const body = bytes.length === 0 ? undefined : parseStrictJson(bytes, DEFAULT_JSON_LIMITS)
  if (!isJsonObject(body)) throw new ScimError(400, 'invalidSyntax', 'the body must be a JSON object')
  return body
}

function errorFrom({ options }: Shared, cause: unknown, request: HttpRequest, method: string): ScimError {
  if (cause instanceof ScimError) return cause
  if (cause instanceof HttpFailure) return scimErrorFromHttp(cause)
  return scimErrorFromConnect(maskError(cause, options.log, { requestId: options.requestIdOf(request), method }))
}

function errorAnswer(error: ScimError): ScimAnswer {
  return { status: error.status, body: scimErrorBody(error), headers: error.headers }
}

const MIN_COMPRESSED_BYTES = 1_024

async function send({ options }: Shared, request: HttpRequest, response: HttpResponse, answer: ScimAnswer) {
  const { status, body, headers = {} } = answer
  const text = body === undefined ? '' : JSON.stringify(body)
  const sent = { ...headers, ...(body !== undefined && { 'content-type': 'application/scim+json' }) }
  try {
    const coding =
      text.length < MIN_COMPRESSED_BYTES ? undefined : negotiateCoding(headerOf(request, 'accept-encoding'))
    if (coding === undefined) endResponse(request, response, status, sent, text)
    else await sendCompressed(request, response, status, { ...sent, vary: 'accept-encoding' }, text, coding)
  } catch (err) {
    // Only a header that Node refuses gets here: there is no way left to answer.
    options.log.error({ err, requestId: options.requestIdOf(request) }, 'request failed')
    cutResponse(response)
  }
}

const codes: ReadonlyMap<number, Code> = new Map([
  [401, Code.Unauthenticated],
  [403, Code.PermissionDenied],
  [404, Code.NotFound],
  [409, Code.AlreadyExists],
  [412, Code.Aborted],
  [413, Code.ResourceExhausted],
  [499, Code.Canceled],
  [500, Code.Internal],
  [501, Code.Unimplemented],
  [503, Code.Unavailable],
  [504, Code.DeadlineExceeded],
])

/** The code under which metrics count a status. */
function codeOf(status: number): Code {
  return codes.get(status) ?? Code.InvalidArgument
}
