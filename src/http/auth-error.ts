import type { DescMethod } from '@bufbuild/protobuf'
import { Code, type ConnectError } from '@connectrpc/connect'
import { ErrorInfoSchema } from '../../gen/google/rpc/error_details_pb.js'
import { AuthService } from '../../gen/svc/v2/auth_pb.js'
import { connectErrorJson, type EncodedBody } from '../call/error-body.js'

/**
 * The body of a refused call of `AuthService` over REST, where it differs from that of other methods: for a refused
 * token request, `error` and `error_description` (RFC 6749, section 5.2) beside the members of every error; for a
 * revocation past its limit, these two alone (docs/credentials.md). Undefined for everything else.
 */
export function authErrorBody(
  error: ConnectError,
  { method }: { readonly method: DescMethod | undefined },
): EncodedBody | undefined {
  const { createToken, revokeLeakedKey } = AuthService.method
  const reasons = error.findDetails(ErrorInfoSchema).map(({ reason }) => reason)
  if (method === revokeLeakedKey && reasons.includes('ERROR_REASON_RATE_LIMITED')) {
    return jsonBody({ error: 'slow_down', error_description: error.rawMessage })
  }
  const code = method === createToken ? oauthCodeOf(error, reasons) : undefined
  if (code === undefined) return undefined
  // Section 5.2 leaves these two characters out, and everything beyond ASCII.
  const description = error.rawMessage.replaceAll(/["\\]/g, "'").replaceAll(/[^\x20-\x7e]/g, '?')
  return jsonBody({ error: code, error_description: description, ...Object(connectErrorJson(error, {})) })
}

/** The code for an error; undefined for failures for which the section has none. */
function oauthCodeOf(error: ConnectError, reasons: readonly string[]): string | undefined {
  if (error.code === Code.Unauthenticated) return 'invalid_client'
  if (error.code !== Code.InvalidArgument) return undefined
  return reasons.includes('ERROR_REASON_GRANT_TYPE_UNSUPPORTED') ? 'unsupported_grant_type' : 'invalid_request'
}

function jsonBody(json: object): EncodedBody {
  return { contentType: 'application/json', body: `${JSON.stringify(json)}\n` }
}
