import type { Queryable } from '../../db/queryable.js'
import type { Runtime } from '../../runtime/runtime.js'
import { insertDirectoryRefusal } from '../../store/scim/directory-refusal.js'
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

/** Keeps a refusal for administrators. Nobody waits for it; a failure is logged. */
export function createRefusalRecorder({ database, runtime, log }: RefusalRecorderOptions) {
  return ({ organizationId, keyId }: Directory, { path, detail, ...refusal }: DirectoryRefusal): void => {
    const texts = { path: kept(path), detail: kept(detail) }
    insertDirectoryRefusal(database, {
      ...refusal,
      ...texts,
      organizationId,
      apiKeyId: keyId,
      id: runtime.newId(),
    }).catch((err: unknown) => log.warn({ err }, 'a refusal of a directory could not be recorded'))
  }
}

/** The database has no texts with U+0000. */
function kept(text: string): string {
  return text.replaceAll('\0', '').slice(0, MAX_CHARACTERS)
}
