import { Code, ConnectError } from '@connectrpc/connect'
import type { Call } from '../call/call.js'
import { HttpFailure } from '../call/http-failure.js'
import { addReason } from '../failure/error-reason.js'
import type { RpcCallOptions } from './call-options.js'

/**
 * The error to answer for whatever was thrown, with its reason; what nobody meant to tell is reported and masked. The
 * call keeps its code.
 */
export function publicErrorFrom(cause: unknown, call: Call, options: Pick<RpcCallOptions, 'onError'>): ConnectError {
  const error = knownErrorFrom(cause, call, options)
  call.errorCode = error.code
  return error
}

function knownErrorFrom(cause: unknown, call: Call, { onError }: Pick<RpcCallOptions, 'onError'>): ConnectError {
  const known = cause instanceof HttpFailure ? cause.error : cause
  if (known instanceof ConnectError) {
    addReason(known)
    return wellFormed(known)
  }
  // Work that failed because its call was aborted failed for the reason of the abort.
  if (call.abortReason !== undefined) return call.abortReason
  onError(cause, call.request)
  return new ConnectError('internal error', Code.Internal)
}

// Text that was cut within a character cannot be put into a header.
function wellFormed(error: ConnectError): ConnectError {
  const { rawMessage, code, metadata, cause } = error
  if (rawMessage.isWellFormed()) return error
  const copy = new ConnectError(rawMessage.toWellFormed(), code, metadata, undefined, cause)
  copy.details = error.details
  return copy
}
