import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratchFolder } from '../../harness/scratch-folder.js'
import type { TlsFiles } from '../../src/http/tls-identity.js'
import { createCertificate, type TestCertificate } from './certificate.js'

/** A certificate and its key, each in a file. */
export interface CertificateFiles extends TlsFiles {
  /** Replaces both. */
  replace(certificate: TestCertificate): Promise<void>
  remove(): Promise<void>
}

/** Writes a certificate and its key into a new folder. */
export async function createCertificateFiles(certificate = createCertificate()): Promise<CertificateFiles> {
  const folder = await mkdtemp(join(scratchFolder(), 'svc-tls-'))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const replace = async (other: TestCertificate) => {
    await Promise.all([writeFile(cert, other.cert), writeFile(key, other.key)])
  }
  await replace(certificate)
  return { cert, key, replace, remove: () => rm(folder, { recursive: true }) }
}
