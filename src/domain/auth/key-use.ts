import type { Tables } from '../../db/tables.js'
import type { Runtime } from '../../runtime/runtime.js'
import { writeKeyUse } from '../../store/api-key.js'

export interface UsedKey {
  readonly organizationId: string
  readonly id: string
  /** The last use that is recorded, if it is known. */
  readonly lastUsedAt?: Date | null
}

export type KeyUses = ReturnType<typeof createKeyUses>

export interface KeyUsesOptions {
  readonly database: Tables
  readonly runtime: Pick<Runtime, 'now'>
  readonly log: { warn(fields: { err: unknown }, message: string): void }
}

/** How old the last recorded use must be before another is recorded, in milliseconds. */
const INTERVAL_MILLIS = 60_000
/** How long to pause after a failed write, so that a database in trouble is not asked with every call. */
const RETRY_MILLIS = 1_000

/** Makes the recorder. One write runs at a time; uses noted in the meantime follow it. */
export function createKeyUses({ database, runtime, log }: KeyUsesOptions) {
  const noted = new Map<string, UsedKey>()
  let notBefore = 0
  let writing: Promise<void> | undefined

  const write = async () => {
    for (const [id, key] of noted) {
      noted.delete(id)
      try {
        const now = runtime.now()
        // Checked again, so that only one of many processes that record the same key writes.
        await writeKeyUse(database, key, { now, ifBefore: new Date(now.getTime() - INTERVAL_MILLIS) })
      } catch (error) {
        noted.set(id, key)
        notBefore = performance.now() + RETRY_MILLIS
        throw error
      }
    }
  }
  const start = () => {
    writing ??= write().finally(() => {
      writing = undefined
    })
    return writing
  }

  return {
    /** Notes that a key is used now. Never throws; a failed write is logged and tried again a second later. */
    note: (key: UsedKey): void => {
      if (key.lastUsedAt != null && runtime.now().getTime() - key.lastUsedAt.getTime() < INTERVAL_MILLIS) return
      noted.set(key.id, key)
      if (writing !== undefined || performance.now() < notBefore) return
      start().catch((err: unknown) => log.warn({ err }, 'the last use of API keys could not be recorded'))
    },
    /** Writes what is still noted; to be called when the process stops. Throws when that fails. */
    flush: async (): Promise<void> => {
      if (writing !== undefined) await Promise.allSettled([writing]) // Its failure is logged where it was started.
      if (noted.size > 0) await start()
    },
  }
}
