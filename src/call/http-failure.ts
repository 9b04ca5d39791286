import type { OutgoingHttpHeaders } from 'node:http'
import { Code, ConnectError } from '@connectrpc/connect'
import { codeToHttpStatus } from '@connectrpc/connect/protocol-connect'
import { shortened } from '../protojson/invalid.js'

/** The HTTP status of a Connect code, by the table of google/rpc/code.proto. */
export const httpStatusFromCode: (code: Code) => number = codeToHttpStatus

/** An error whose HTTP status is not the one of its code, with headers of its own. */
export class HttpFailure extends Error {
  readonly error: ConnectError
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  constructor(status: number, error: ConnectError, headers: OutgoingHttpHeaders = {}) {
    super(error.message)
    this.error = error
    this.status = status
    this.headers = headers
  }
}

/** 404: no route has this path; `near` is the path that was probably meant. */
export function pathNotFound(path: string, near?: string): HttpFailure {
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  return new HttpFailure(404, new ConnectError(`no such path: ${shortened(path)}${hint}`, Code.NotFound))
}

/**
 * 405: the path is known, the method is not one of `allowed`, which goes out as `Allow`; `near` is a path with this
 * method that was probably meant.
 */
export function methodNotAllowed(method: string, allowed: readonly string[], near?: string): HttpFailure {
  const hint = near === undefined ? '' : `; did you mean ${method} ${near}?`
  const error = new ConnectError(`${method} is not allowed here: use ${allowed.join(', ')}${hint}`, Code.Unimplemented)
  return new HttpFailure(405, error, { allow: allowed.join(', ') })
}

/** 413: the body is larger than its limit, before or after decompression. */
export function bodyTooLarge(maxBytes: number): HttpFailure {
  return new HttpFailure(413, new ConnectError(`the body is larger than ${maxBytes} bytes`, Code.ResourceExhausted))
}

/** 415: the type or coding of the body is not accepted here. */
export function unsupportedMediaType(message: string, headers: OutgoingHttpHeaders): HttpFailure {
  return new HttpFailure(415, new ConnectError(message, Code.InvalidArgument), headers)
}

export function httpFailureFrom(error: ConnectError): HttpFailure {
  return new HttpFailure(httpStatusFromCode(error.code), sendable(error))
}

/** Headers that describe the body they came with, or carry the status of a protocol. */
const OF_BODY = /^(?:content-(?:type|encoding|length)$|(?:grpc|connect)-)/

/**
 * The error itself, or a copy without what no response may have: text that was cut within a character, which no header
 * can carry, and the headers of another body, which an error brings that a handler has from a client of its own.
 */
function sendable(error: ConnectError): ConnectError {
  const { rawMessage, code, metadata, cause } = error
  const kept = [...metadata].filter(([name]) => !OF_BODY.test(name))
  if (rawMessage.isWellFormed() && kept.length === [...metadata].length) return error
  const copy = new ConnectError(rawMessage.toWellFormed(), code, kept, undefined, cause)
  copy.details = error.details
  return copy
}
