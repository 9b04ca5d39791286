import type { DescMethod } from '@bufbuild/protobuf'
import { Code, type ConnectError } from '@connectrpc/connect'
import { ErrorInfoSchema } from '../../gen/google/rpc/error_details_pb.js'
import { AuthService } from '../../gen/svc/v2/auth_pb.js'
import { connectErrorJson, type ErrorBody } from '../call/error-body.js'

/**
 * The body of a refused token request over REST: `error` and `error_description` (RFC 6749, section 5.2) beside the
 * members of every error; undefined for other methods, and for failures for which that section has no code.
 */
export function oauthErrorBody(
  error: ConnectError,
  { method }: { readonly method: DescMethod | undefined },
): ErrorBody | undefined {
  const code = method === AuthService.method.createToken ? oauthCodeOf(error) : undefined
  if (code === undefined) return undefined
  // Section 5.2 leaves these two characters out, and everything beyond ASCII.
  const description = error.rawMessage.replaceAll(/["\\]/g, "'").replaceAll(/[^\x20-\x7e]/g, '?')
  const json = { error: code, error_description: description, ...Object(connectErrorJson(error, {})) }
  return { contentType: 'application/json', body: `${JSON.stringify(json)}\n` }
}

function oauthCodeOf(error: ConnectError): string | undefined {
  if (error.code === Code.Unauthenticated) return 'invalid_client'
  if (error.code !== Code.InvalidArgument) return undefined
  const isOfGrant = error
    .findDetails(ErrorInfoSchema)
    .some(({ reason }) => reason === 'ERROR_REASON_GRANT_TYPE_UNSUPPORTED')
  return isOfGrant ? 'unsupported_grant_type' : 'invalid_request'
}
