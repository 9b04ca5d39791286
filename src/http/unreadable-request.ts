import { STATUS_CODES } from 'node:http'
import { Code, ConnectError } from '@connectrpc/connect'
import { connectErrorJson } from '../call/error-body.js'
import { addReason } from '../failure/error-reason.js'

/**
 * The whole answer, from its status line on, to a request of HTTP/1.1 that Node could not read, by the code of its
 * error: such a request reaches no handler. Pages of every origin may read it, because it says nothing about the
 * service; without the header a browser would show them nothing but a failed connection.
 */
export function unreadableAnswer(code: string | undefined, maxHeaderBytes: number): string {
  const [status, error] = refusalOf(code, maxHeaderBytes)
  addReason(error)
  const body = `${JSON.stringify(connectErrorJson(error, {}))}\n`
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'access-control-allow-origin: *',
    'cache-control: no-store',
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return `${headers.join('\r\n')}\r\n\r\n${body}`
}

function refusalOf(code: string | undefined, maxHeaderBytes: number): [status: number, error: ConnectError] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = `the header of the request is larger than ${maxHeaderBytes} bytes: send a shorter path, fewer cookies or fewer headers`
    return [431, new ConnectError(message, Code.InvalidArgument)]
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return [408, new ConnectError('the request did not arrive whole in time: send it again', Code.DeadlineExceeded)]
  }
  return [400, new ConnectError('this is not a request of HTTP/1.1: send one', Code.InvalidArgument)]
}
