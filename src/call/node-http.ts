import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { TLSSocket } from 'node:tls'

/** A request of `node:http` or of the compatibility API of `node:http2`. */
export type NodeRequest = IncomingMessage | Http2ServerRequest

/** The response that belongs to a `NodeRequest`. */
export type NodeResponse = ServerResponse | Http2ServerResponse

export type NodeHandler = (request: NodeRequest, response: NodeResponse) => void

/** The value of a request header; several lines are joined with ", ", which pseudo headers never need. */
export function headerOf(request: NodeRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** The path of a request's target in origin form, without its query. */
export function pathOf({ url = '' }: NodeRequest): string {
  const question = url.indexOf('?')
  return question < 0 ? url : url.slice(0, question)
}

/** Whether a request has a body, or may still send one. */
export function mayHaveBody(request: NodeRequest): boolean {
  const length = request.headers['content-length']
  if (length !== undefined) return Number(length) !== 0
  if ('stream' in request) return !request.stream.endAfterHeaders
  return request.headers['transfer-encoding'] !== undefined
}

/** Whether the connection or stream of a request or a response is gone: its client may have canceled the request. */
export function isGone(message: NodeRequest | NodeResponse): boolean {
  return 'stream' in message ? message.stream.closed || message.stream.destroyed : message.destroyed
}

/** Cuts a response short, so that the client does not take it for complete. */
export function cutResponse(response: NodeResponse): void {
  if ('stream' in response) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  else response.destroy()
}

/** The request's headers as the web class, pseudo headers left out. */
export function webHeadersFromRequest(request: NodeRequest): Headers {
  const headers = new Headers()
  const raw = request.rawHeaders
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? ''
    if (name !== '' && !name.startsWith(':')) headers.append(name, raw[index + 1] ?? '')
  }
  return headers
}

/** The absolute URL that the client asked for, as text. */
export function urlFromRequest(request: NodeRequest): string {
  const target = request.url ?? '/'
  if (!target.startsWith('/')) return target
  const authority = ('authority' in request ? request.authority : undefined) || request.headers.host || 'localhost'
  return `${isOverTls(request) ? 'https' : 'http'}://${authority}${target}`
}

/** Whether a request has come over TLS of this process. */
export function isOverTls(request: NodeRequest): boolean {
  return 'stream' in request ? request.stream.session?.encrypted === true : request.socket instanceof TLSSocket
}
