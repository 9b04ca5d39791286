import type { Config } from '../config.js'
import { readTlsIdentity, type TlsIdentity, timeFault } from '../http/tls-identity.js'
import type { Runtime } from '../runtime/runtime.js'

interface TlsContext {
  readonly config: Pick<Config, 'tls'>
  readonly runtime: Pick<Runtime, 'now'>
  readonly log: Record<'info' | 'error', (fields: object, message: string) => void>
}

/**
 * Reads the certificate that the configuration names; undefined if it names none. A certificate that has expired or is
 * not valid yet is used and logged as an error. Throws if the files cannot be used.
 */
export async function openTls({ config, log, runtime }: TlsContext): Promise<TlsIdentity | undefined> {
  const identity = config.tls && (await readTlsIdentity(config.tls))
  const fault = identity && timeFault(identity, runtime.now())
  if (fault !== undefined) log.error({ fingerprint: identity?.fingerprint }, fault)
  return identity
}

/**
 * Reloads the files and passes them on. If they cannot be used, or have expired, that is logged and the certificate is
 * left unchanged. Never throws.
 */
export async function renewTls(
  { config, log, runtime }: TlsContext,
  use: (identity: TlsIdentity) => void,
): Promise<void> {
  if (config.tls === undefined) return
  try {
    const identity = await readTlsIdentity(config.tls)
    const fault = timeFault(identity, runtime.now())
    if (fault !== undefined) throw new Error(fault)
    use(identity)
    const { fingerprint, expiresAt } = identity
    log.info({ fingerprint, expiresAt }, 'the certificate was reloaded')
  } catch (err) {
    log.error({ err }, 'the certificate could not be reloaded: the previous one remains in use')
  }
}
