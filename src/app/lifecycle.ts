import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { createReadiness } from '../db/readiness.js'
import type { NotReady } from '../http/probes.js'
import type { HttpServer } from '../http/server.js'
import type { KeyCheck } from './key-check.js'
import type { AppOptions } from './tables.js'

export type Lifecycle = ReturnType<typeof createLifecycle>

/** How long the last calls may continue once the port is closed, unless all of them have less. */
const LAST_GRACE_MS = 5_000
const LAST_WRITES_MS = 500

export function createLifecycle({ config, database, log }: AppOptions, keyCheck: Pick<KeyCheck, 'faults'>) {
  const closing = new AbortController()
  const shutdown = new AbortController()
  /** `closing` aborts when the service begins to stop and takes no more calls, `shutdown` when calls must stop. */
  const signals: Readonly<Record<'closing' | 'shutdown', AbortSignal>> = {
    closing: closing.signal,
    shutdown: shutdown.signal,
  }
  // Each protocol listens to them, and each watch of the health.
  setMaxListeners(0, ...Object.values(signals))
  const readiness = createReadiness({ database, directUrl: config.databaseDirectUrl, log })
  const notReady = async (): Promise<NotReady> => {
    if (closing.signal.aborted) return { draining: 'the service is stopping' }
    const reasons = await readiness.ask()
    if (Object.keys(reasons).length > 0) return reasons
    if (!database.clock.isRight()) return { clock: "differs by more than a minute from the database's" }
    // The database answers, so that no connection is free for this: the next question compares them.
    return keyCheck.faults().catch((err: unknown) => {
      log.warn({ err }, 'the keys could not be compared with those of the database')
      return {}
    })
  }

  const finish = (writes: Promise<unknown>) => {
    const late = wait(LAST_WRITES_MS, undefined, { ref: false }).then(() => {
      throw new Error('the database does not answer')
    })
    return Promise.race([writes, late]).catch((err: unknown) =>
      log.warn({ err }, 'the last use of API keys could not be recorded'),
    )
  }
  return {
    ...signals,
    /** Never rejects. */
    notReady,
    isReady: async () => Object.keys(await notReady()).length === 0,
    /**
     * Reports that the service is not ready, lets the server still accept connections for `drainMillis`, waits for
     * running calls, and then for what is still to be written.
     */
    close: async (server: Pick<HttpServer, 'close'>, drainMillis: number, lastWrites: () => Promise<unknown>) => {
      closing.abort()
      const allGraceMillis = config.graceSeconds * 1000
      const graceMillis = Math.max(allGraceMillis, drainMillis + Math.min(LAST_GRACE_MS, allGraceMillis))
      await server.close({ drainMillis, graceMillis, onGraceOver: () => shutdown.abort() })
      await finish(lastWrites())
      await readiness.close()
    },
  }
}
