import type { Queryable } from '../../db/queryable.js'
import type { Runtime } from '../../runtime/runtime.js'
import { insertDirectoryRefusal, KEPT_REFUSALS, type NewRefusal } from '../../store/scim/directory-refusal.js'
import type { Directory } from './directory-sync.js'

/** Why a request of a directory was refused. Nothing in it is secret. */
export interface DirectoryRefusal {
  readonly method: string
  readonly path: string
  /** 400 to 499. */
  readonly status: number
  /** Empty if there is none. */
  readonly scimType: string
  readonly detail: string
  readonly requestId: string
}

/** What recording refusals depends on. */
export interface RefusalRecorderOptions {
  readonly database: Pick<Queryable, 'run'>
  readonly runtime: Pick<Runtime, 'newId'>
  readonly log: { warn(fields: { err: unknown }, message: string): void }
}

/** The longest text that is kept. */
const MAX_CHARACTERS = 1_000

/**
 * Keeps refusals for administrators. Nobody waits for it; a failure is logged. Each organization has one write under way
 * at most, and as many waiting as are kept: a directory that is refused again and again takes no connection from others.
 */
export function createRefusalRecorder({ database, runtime, log }: RefusalRecorderOptions) {
  /** What waits, by organization; an entry without any is a write alone. */
  const waiting = new Map<string, NewRefusal[]>()

  async function write(first: NewRefusal, further: NewRefusal[]): Promise<void> {
    for (let next: NewRefusal | undefined = first; next !== undefined; next = further.shift()) {
      try {
        await insertDirectoryRefusal(database, next)
      } catch (err) {
        log.warn({ err }, 'a refusal of a directory could not be recorded')
      }
    }
    waiting.delete(first.organizationId)
  }

  return ({ organizationId, keyId }: Directory, { path, detail, ...refusal }: DirectoryRefusal): void => {
    const texts = { path: kept(path), detail: kept(detail) }
    const added = { ...refusal, ...texts, organizationId, apiKeyId: keyId, id: runtime.newId() }
    const before = waiting.get(organizationId)
    if (before === undefined) {
      const further: NewRefusal[] = []
      waiting.set(organizationId, further)
      void write(added, further)
      return
    }
    before.push(added)
    if (before.length > KEPT_REFUSALS) before.shift()
  }
}

/** The database has no texts with U+0000. */
function kept(text: string): string {
  return text.replaceAll('\0', '').slice(0, MAX_CHARACTERS)
}
