import type { Sql } from '../db/sql.js'

/** How old `last_used_at` may be before a use is written down. */
export const KEY_USE_INTERVAL_SQL = `interval '1 minute'`

/** Keeps when keys were last used, to the minute, without making a request wait. */
export interface KeyUses {
  /** Notes that a key is used now. Never throws; what cannot be written is logged and tried again with the next one. */
  note(keyId: string): void
  /** Writes what is still noted; to be called when the process stops. Throws when that fails. */
  flush(): Promise<void>
}

/** What key uses need. */
export interface KeyUsesOptions {
  readonly database: Sql
  readonly log: { warn(fields: { err: unknown }, message: string): void }
}

// The guard is in the statement: of many processes that note one key, one writes. Rows are locked in the order of ids.
const writeKeyUses = `
UPDATE api_keys SET last_used_at = now()
 WHERE id IN (SELECT id FROM api_keys
               WHERE id = ANY($1) AND (last_used_at IS NULL OR last_used_at <= now() - ${KEY_USE_INTERVAL_SQL})
               ORDER BY id FOR NO KEY UPDATE)`

/** Makes the recorder. One statement is under way at a time; what is noted meanwhile goes with the next one. */
export function createKeyUses({ database, log }: KeyUsesOptions): KeyUses {
  const noted = new Set<string>()
  let writing: Promise<void> | undefined

  const write = async () => {
    while (noted.size > 0) {
      const ids = [...noted]
      noted.clear()
      try {
        await database.execute(writeKeyUses, [ids], 'write_key_uses')
      } catch (error) {
        for (const id of ids) noted.add(id)
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
    note: (keyId) => {
      noted.add(keyId)
      if (writing !== undefined) return
      start().catch((err: unknown) => log.warn({ err }, 'the last use of API keys could not be written'))
    },
    flush: async () => {
      if (writing !== undefined) await Promise.allSettled([writing]) // Its failure is logged where it was started.
      if (noted.size > 0) await start()
    },
  }
}
