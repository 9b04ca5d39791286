import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** Where a certificate and its private key are: files in PEM form, the certificate followed by its issuers'. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

/** A certificate with the private key that belongs to it, as they were read. */
export type TlsIdentity = Awaited<ReturnType<typeof readTlsIdentity>>

/**
 * Reads a certificate and its key. Throws if they cannot be read, or do not belong together: the message names the
 * variable and the file, and says what to do.
 */
export async function readTlsIdentity(files: TlsFiles) {
  const [cert, key] = await Promise.all([read('TLS_CERT', files.cert), read('TLS_KEY', files.key)])
  const certificate = parsed(
    () => new X509Certificate(cert),
    `TLS_CERT ${files.cert} contains no certificate in PEM format`,
  )
  const privateKey = parsed(
    () => createPrivateKey(key),
    `TLS_KEY ${files.key} contains no private key in PEM format without a passphrase`,
  )
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error(
      `TLS_KEY ${files.key} does not match the first certificate in TLS_CERT ${files.cert}: use the key of that certificate, and put the certificate before those of its issuers`,
    )
  }
  return {
    cert,
    key,
    /** Names the certificate in the log: the SHA-256 of its bytes. */
    fingerprint: certificate.fingerprint256,
    validFrom: new Date(certificate.validFrom),
    expiresAt: new Date(certificate.validTo),
  }
}

/** Says that a certificate has expired or is not valid yet; undefined if it is valid. */
export function timeFault({ validFrom, expiresAt }: TlsIdentity, now: Date): string | undefined {
  if (expiresAt <= now) return `the certificate expired at ${expiresAt.toISOString()}: renew it`
  if (validFrom <= now) return undefined
  return `the certificate is not valid before ${validFrom.toISOString()}: use another one, or correct the clock`
}

async function read(variable: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? reasons.get(error.code) : undefined
    throw new Error(`${variable} ${path} ${reason ?? 'cannot be read'}`, { cause: error })
  }
}

const reasons: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'does not exist: correct the path'],
  ['EACCES', 'cannot be read by this user: change its owner or mode'],
  ['EISDIR', 'is a folder: name a file'],
])

function parsed<T>(parse: () => T, fault: string): T {
  try {
    return parse()
  } catch (cause) {
    throw new Error(fault, { cause })
  }
}
