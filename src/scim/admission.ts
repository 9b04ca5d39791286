import { bearerTokenFrom, credentialExpired, credentialInvalid, credentialMissing } from '../admission/bearer.js'
import type { Authenticate, Directory, FindDirectory } from '../domain/auth/authentication.js'
import { ServiceError } from '../errors.js'

const advice = 'send the secret of a management key (svc keys create --kind mk)'

/**
 * Finds the directory of a request by its Authorization header alone: the secret of a management key, which no other
 * protocol accepts. Any other valid credential gets 403, everything else 401. `onCaller` gets the id of the key or
 * user, of callers that are refused too; `requestId` is for the log.
 */
export async function admitDirectory(
  { findDirectory, authenticate }: { readonly findDirectory: FindDirectory; readonly authenticate: Authenticate },
  authorization: string | undefined,
  requestId: string,
  onCaller: (callerId: string) => void,
): Promise<Directory> {
  if (!/^\s*bearer\b/i.test(authorization ?? '')) throw credentialMissing(advice)
  const token = bearerTokenFrom(authorization)
  const directory = await findDirectory(token)
  if (directory === 'expired') throw credentialExpired()
  if (directory !== undefined) {
    onCaller(directory.keyId)
    return directory
  }
  if (token.startsWith('svc_secret_')) throw credentialInvalid(`the management key is not valid: ${advice}`)
  const caller = await authenticate(token, { requestId })
  if (caller === 'expired' || caller === undefined) throw credentialInvalid(`the credential is not valid: ${advice}`)
  onCaller(caller.id)
  throw new ServiceError('CREDENTIAL_KIND_UNSUPPORTED', `SCIM does not accept this kind of credential: ${advice}`)
}
