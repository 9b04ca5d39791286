import type { OutgoingHttpHeaders } from 'node:http'
import { Code, ConnectError } from '@connectrpc/connect'
import { connectErrorJson } from '../call/error-body.js'
import type { NodeRequest, NodeResponse } from '../call/node-http.js'
import { endResponse } from '../call/respond.js'
import { addReason } from '../failure/error-reason.js'
import { grpcStatus } from '../rpc/grpc-status.js'

/**
 * Answers a request that two readers could understand differently with 400, in whatever protocol it is: one with two
 * `Host` headers, or a `Host` beside another `:authority` (RFC 9112 section 3.2, RFC 9113 section 8.3.1), and one with
 * two `Authorization` headers. Node keeps the first of each. False: the request is clear.
 */
export function refuseAmbiguous(request: NodeRequest, response: NodeResponse): boolean {
  const fault = faultOf(request)
  if (fault === undefined) return false
  const error = new ConnectError(fault, Code.InvalidArgument)
  addReason(error)
  // A proxy is as likely at fault as the client, so nothing more is accepted from that connection.
  const headers: OutgoingHttpHeaders = 'stream' in response ? {} : { connection: 'close' }
  const grpc = /^application\/grpc(?:-web)?(?:-text)?(?:\+\w+)?/i.exec(request.headers['content-type'] ?? '')
  if (grpc !== null) {
    const status = Object.fromEntries(grpcStatus(undefined, error))
    endResponse(request, response, 400, { ...headers, ...status, 'content-type': grpc[0] }, '')
  } else {
    const body = JSON.stringify(connectErrorJson(error, {}))
    endResponse(request, response, 400, { ...headers, 'content-type': 'application/json' }, body)
  }
  return true
}

function faultOf({ rawHeaders, headers }: NodeRequest): string | undefined {
  let hosts = 0
  let authorizations = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations++
  }
  if (hosts > 1) return 'the request has two Host headers: send one'
  if (authorizations > 1) return 'the request has two Authorization headers: send one'
  const { host, ':authority': authority } = headers
  if (host !== undefined && authority !== undefined && host !== authority) {
    return 'the request has a Host header that differs from its :authority: send one of them'
  }
  return undefined
}
