import { Code, ConnectError } from '@connectrpc/connect'
import { errorToJsonBytes } from '@connectrpc/connect/protocol-connect'
import type { NodeRequest, NodeResponse } from '../call/node-http.js'
import { drainRequest, endResponse } from '../call/respond.js'
import { answerJsonOptions } from '../handlers/raw-json.js'
import { shortened } from '../protojson/invalid.js'
import { nearestName, shortList } from '../protojson/nearest.js'
import { endEnveloped, envelopedProtocolOf, grpc, grpcWeb } from './enveloped-protocol.js'

const CONNECT_TYPE = /^application\/(?:proto$|connect\+)/i
/** The end of the path of an RPC: the full name of a service, and a method. */
const METHOD_PATH = /\/\w+(?:\.\w+)+\/\w+$/
/** A path that is nothing else, extra slashes apart. JSON that is sent to it is meant for Connect. */
const ONLY_METHOD_PATH = /^\/+\w+(?:\.\w+)+\/+\w+\/*$/
const CONNECT_GET = /[?&]connect=v1(?:&|$)/

/**
 * Answers a call of a method that does not exist in the protocol of the call: the status of gRPC and gRPC-Web, or 404
 * with the error body of Connect, and the path that was probably meant. Undefined: the request is in none of them.
 */
export function refuseUnknownMethod(
  path: string,
  nearestMethod: ReturnType<typeof createNearestMethod>,
  request: NodeRequest,
  response: NodeResponse,
): Promise<void> | undefined {
  const contentType = request.headers['content-type'] ?? ''
  const isGrpc = /^application\/grpc/i.test(contentType)
  if (!isGrpc && !isConnect(request) && !isPlainJson(request, path)) return undefined
  const near = nearestMethod(path)
  if (!isGrpc && near?.path === undefined && !METHOD_PATH.test(path)) return undefined
  const hint = near?.hint ?? 'the path of a method is /package.Service/Method'
  const error = new ConnectError(`${shortened(path)} is not a method of this service: ${hint}`, Code.Unimplemented)
  if (isGrpc) {
    const usual = /^application\/grpc-web/i.test(contentType) ? grpcWeb : grpc
    const protocol = envelopedProtocolOf(contentType)?.protocol ?? usual
    drainRequest(request)
    const headers = { 'content-type': `${protocol.typePrefix}proto` }
    return endEnveloped(response, protocol, { headers, ending: protocol.end(undefined, error) })
  }
  const body = errorToJsonBytes(error, answerJsonOptions)
  endResponse(request, response, 404, { 'content-type': 'application/json' }, body)
  return Promise.resolve()
}

function isConnect({ method, url, headers }: NodeRequest): boolean {
  if (method === 'GET') return CONNECT_GET.test(url ?? '')
  return 'connect-protocol-version' in headers || CONNECT_TYPE.test(headers['content-type'] ?? '')
}

/** Whether a request is one of Connect that leaves out the version of the protocol, as programs without a client do. */
function isPlainJson({ method, headers }: NodeRequest, path: string): boolean {
  return (
    method === 'POST' && ONLY_METHOD_PATH.test(path) && /^application\/json(?:;|$)/i.test(headers['content-type'] ?? '')
  )
}

/** 415: the request is in no form that the method accepts. */
export function refuseType(request: NodeRequest, response: NodeResponse, types: readonly string[]): void {
  const given = request.headers['content-type']
  const fault = given === undefined ? 'the content type is missing' : `content-type ${given} is not accepted here`
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'accept-post': types.join(', ') }
  endResponse(request, response, 415, headers, `${fault}: send one of ${types.join(', ')}\n`)
}

/** Longer paths are not compared. */
const MAX_COMPARED = 300
/** Extra slashes, a prefix, or a missing package, before or after a service and a method. */
const SERVICE_AND_METHOD = /(?<![\w.-])([\w.-]+)\/+([\w-]+)\/*$/

/**
 * Finds the method whose path was probably meant by one that differs in slashes, in a prefix, in case or by a typo, or
 * that names the method with another service; otherwise names the methods of the nearest service, or the services.
 * Undefined: the path is nothing like one of a method. `hint` is for the caller.
 */
export function createNearestMethod(
  paths: Iterable<string>,
): (path: string) => { readonly path?: string; readonly hint: string } | undefined {
  const methods = new Map<string, string[]>()
  for (const path of paths) {
    const [, service = '', method = ''] = path.split('/')
    methods.set(service, [...(methods.get(service) ?? []), method])
  }
  const services = [...methods.keys()]
  return (path) => {
    const match = path.length > MAX_COMPARED ? null : SERVICE_AND_METHOD.exec(path)
    if (match === null) return undefined
    const [, givenService = '', givenMethod = ''] = match
    const near = nearestName(givenService, services)
    const names = methods.get(near ?? '') ?? []
    const nearMethod = nearestName(givenMethod, names)
    const owner = nearMethod === undefined ? services.find((each) => methods.get(each)?.includes(givenMethod)) : near
    if (owner !== undefined) {
      const path = `/${owner}/${nearMethod ?? givenMethod}`
      return { path, hint: `did you mean ${path}?` }
    }
    return { hint: near === undefined ? `the services are ${shortList(services)}` : `${near} has ${shortList(names)}` }
  }
}
