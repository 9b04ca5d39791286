import { Code, ConnectError } from '@connectrpc/connect'
import { codeToString } from '@connectrpc/connect/protocol-connect'
import type { Attributes } from '@opentelemetry/api'
import type { Call } from '../call/call.js'
import { isOverTls } from '../call/node-http.js'
import { databaseFailure } from '../db/errors.js'

/** Whether the protocol uses HTTP paths and verbs, rather than RPC. */
function isHttp(protocolName: string): boolean {
  return protocolName === 'rest' || protocolName === 'scim'
}

/** The name of a call's span: over REST and SCIM the verb and the path template, over RPC the name of the method. */
export function nameOfCall({ protocolName, request, route, method }: Call): string {
  return isHttp(protocolName) ? `${request.method ?? 'GET'} ${route ?? ''}` : `${method.parent.typeName}/${method.name}`
}

/** The attributes of a call at its start (OpenTelemetry semantic conventions for HTTP, RPC, Connect and gRPC). */
export function describeCall(call: Call): Attributes {
  const { protocolName, request, route = '', method } = call
  const name = `${method.parent.typeName}/${method.name}`
  if (isHttp(protocolName)) {
    return {
      'http.request.method': request.method ?? 'GET',
      'http.route': route,
      'url.scheme': isOverTls(request) ? 'https' : 'http',
      'rpc.method': name,
    }
  }
  return { 'rpc.system.name': protocolName === 'connect' ? 'connectrpc' : 'grpc', 'rpc.method': name }
}

/** Codes for which the server is at fault; all others are the caller's fault. */
const FAULTS: ReadonlySet<Code> = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Unimplemented,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
])

/** The attributes of an answered call, and whether the server was at fault. */
export function describeAnswer(call: Call): { readonly attributes: Attributes; readonly isFault: boolean } {
  const { protocolName, request, response, errorCode } = call
  const attributes: Attributes = { 'network.protocol.version': request.httpVersion.replace(/\.0$/, '') }
  const requestId = response.getHeader('x-request-id')
  if (typeof requestId === 'string') attributes['svc.request.id'] = requestId
  if (isHttp(protocolName)) {
    const { statusCode } = response
    attributes['http.response.status_code'] = statusCode
    if (statusCode >= 500) attributes['error.type'] = String(statusCode)
    return { attributes, isFault: statusCode >= 500 }
  }
  const code = errorCode === undefined ? undefined : nameOfCode(protocolName, errorCode)
  const isFault = errorCode !== undefined && FAULTS.has(errorCode)
  if (code !== undefined) attributes['rpc.response.status_code'] = code
  else if (protocolName !== 'connect') attributes['rpc.response.status_code'] = 'OK'
  if (isFault && code !== undefined) attributes['error.type'] = code
  return { attributes, isFault }
}

function nameOfCode(protocolName: string, code: Code): string {
  if (protocolName === 'connect') return codeToString(code)
  // gRPC spells this code with two letters.
  return code === Code.Canceled ? 'CANCELLED' : codeToString(code).toUpperCase()
}

/** The kind of a statement's failure in one word; `canceled` if its call ended first. */
export function failureKind(failure: unknown): string {
  return failure instanceof ConnectError ? 'canceled' : (databaseFailure(failure)?.kind ?? 'other')
}
