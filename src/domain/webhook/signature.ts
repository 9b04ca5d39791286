import { createHmac, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import type { Runtime } from '../../runtime/runtime.js'

/** The keys that sign the requests to an endpoint, stored sealed as its secret. */
export interface SigningKeys {
  /** The key of the HMAC: `whsec_` and base64. */
  readonly secret: string
  /** An Ed25519 key (PKCS #8, DER) in base64, if its signatures are wanted. */
  readonly privateKey?: string
}

const SECRET_BYTES = 32

/** Makes keys, and the public one as `whpk_` and base64; that is empty without an Ed25519 key. */
export function newSigningKeys(
  { randomBytes }: Pick<Runtime, 'randomBytes'>,
  hasPublicKey: boolean,
): { readonly keys: SigningKeys; readonly publicKey: string } {
  const secret = `whsec_${Buffer.from(randomBytes(SECRET_BYTES)).toString('base64')}`
  if (!hasPublicKey) return { keys: { secret }, publicKey: '' }
  const pair = generateKeyPairSync('ed25519')
  const privateKey = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  // RFC 8410: the last 32 bytes of the document are the key itself.
  const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
  return { keys: { secret, privateKey }, publicKey: `whpk_${publicKey}` }
}

/**
 * The header `webhook-signature` (Standard Webhooks 1.0.0): a signature of each key, the first keys first. `timestamp`
 * is in seconds since 1970.
 */
export function signaturesOf(all: readonly SigningKeys[], id: string, timestamp: number, body: string): string {
  const content = Buffer.from(`${id}.${timestamp}.${body}`)
  const signatures = all.flatMap(({ secret, privateKey }) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    const symmetric = `v1,${createHmac('sha256', key).update(content).digest('base64')}`
    if (privateKey === undefined) return [symmetric]
    const der = { key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' } as const
    return [symmetric, `v1a,${sign(null, content, createPrivateKey(der)).toString('base64')}`]
  })
  return signatures.join(' ')
}
