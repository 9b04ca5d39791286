import type { Tables } from '../../db/tables.js'
import { writeKeyUses } from '../../store/api-key.js'

/** A key that is used. */
export interface UsedKey {
  readonly organizationId: string
  readonly id: string
}

/** Records when keys were last used, to the minute, without making a request wait. */
export interface KeyUses {
  /** Notes that a key is used now. Never throws; a failed write is logged and tried again a second later. */
  note(key: UsedKey): void
  /** Writes what is still noted; to be called when the process stops. Throws when that fails. */
  flush(): Promise<void>
}

/** What key uses need. */
export interface KeyUsesOptions {
  readonly database: Pick<Tables, 'run'>
  readonly log: { warn(fields: { err: unknown }, message: string): void }
}

/** How long to pause after a failed write, so that a database in trouble is not asked with every call. */
const RETRY_MILLIS = 1_000

/** Makes the recorder. One statement runs at a time; uses noted in the meantime go into the next one. */
export function createKeyUses({ database, log }: KeyUsesOptions): KeyUses {
  const noted = new Map<string, UsedKey>()
  let notBefore = 0
  let writing: Promise<void> | undefined

  const write = async () => {
    while (noted.size > 0) {
      const keys = [...noted.values()]
      noted.clear()
      try {
        await writeKeyUses(database, keys)
      } catch (error) {
        for (const key of keys) noted.set(key.id, key)
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
    note: (key) => {
      noted.set(key.id, key)
      if (writing !== undefined || performance.now() < notBefore) return
      start().catch((err: unknown) => log.warn({ err }, 'the last use of API keys could not be recorded'))
    },
    flush: async () => {
      if (writing !== undefined) await Promise.allSettled([writing]) // Its failure is logged where it was started.
      if (noted.size > 0) await start()
    },
  }
}
