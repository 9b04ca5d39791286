import type { Logger } from 'pino'
import type { Config } from '../config.js'
import type { Tables } from '../db/tables.js'
import { notePepper } from '../domain/auth/pepper-check.js'
import { type SecretStore, sealKeyFault } from '../domain/webhook/secret-store.js'
import type { NotReady } from '../http/probes.js'
import type { Runtime } from '../runtime/runtime.js'

export type KeyCheck = ReturnType<typeof createKeyCheck>

export interface KeyCheckOptions {
  readonly config: Pick<Config, 'peppers'>
  readonly tables: Tables
  readonly secrets: Pick<SecretStore, 'count' | 'sealAgain'>
  readonly runtime: Pick<Runtime, 'now'>
  readonly log: Pick<Logger, 'error' | 'warn'>
}

/** For how long it is known that a key is wrong: all secrets are read to find out. */
const KEPT_MILLIS = 2_000

export function createKeyCheck({ config, tables, secrets, runtime, log }: KeyCheckOptions) {
  let areRight = false
  let last: { readonly found: NotReady; readonly until: number } | undefined
  const logged = new Set<string>()
  const faults = async (): Promise<NotReady> => {
    if (areRight) return {}
    if (last !== undefined && performance.now() < last.until) return last.found
    const secretPepper = await notePepper(tables, config.peppers)
    const sealKey = sealKeyFault(await secrets.count(tables, runtime.now()))
    const found = { ...(secretPepper && { secretPepper }), ...(sealKey && { sealKey }) }
    areRight = Object.keys(found).length === 0
    last = { found, until: performance.now() + KEPT_MILLIS }
    for (const fault of Object.values(found)) {
      if (!logged.has(fault)) log.error(fault)
      logged.add(fault)
    }
    return found
  }
  return {
    /**
     * Why no credential is recognized or nothing can be signed; empty if there is no fault. Once empty, it stays so: a
     * key that another process introduces does not take this one out of service. Rejects if the database does not
     * answer.
     */
    faults,
    /** Writes again with the current keys what previous ones have written. To be called now and then; never rejects. */
    reseal: async (): Promise<void> => {
      try {
        if (Object.keys(await faults()).length > 0) return
        await notePepper(tables, config.peppers)
        await secrets.sealAgain(tables, runtime.now())
      } catch (err) {
        log.warn({ err }, 'secrets could not be sealed again')
      }
    },
  }
}
