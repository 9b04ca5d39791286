import type { Tables } from '../../db/tables.js'
import type { Runtime } from '../../runtime/runtime.js'
import { type ApiKeyRow, selectApiKeys } from '../../store/api-key.js'
import {
  countSuppliedMembers,
  insertDirectoryRefusal,
  KEPT_REFUSALS,
  lastDirectoryWrite,
  type NewRefusal,
  selectDirectoryRefusals,
} from '../../store/directory/status.js'
import type { Directory } from '../auth/authentication.js'
import { requireOrganization } from '../organization.js'

/** The state of an organization's directory, with the names of the API. */
export type DirectoryStatus = Awaited<ReturnType<typeof readDirectoryStatus>>

/** Reads the state of a directory. Throws `RESOURCE_NOT_FOUND` if there is no such organization. */
export async function readDirectoryStatus(tables: Tables, organizationId: string, now: Date) {
  await requireOrganization(tables, organizationId)
  const keys = await selectApiKeys(tables, organizationId)
  const refusals = await selectDirectoryRefusals(tables, organizationId)
  return {
    organizationId,
    connections: keys.filter(({ kind }) => kind === 'mk').map((key) => connectionOf(key, now)),
    lastWriteAt: await lastDirectoryWrite(tables, organizationId),
    users: await countSuppliedMembers(tables, organizationId),
    refusals: refusals.map(({ apiKeyId: keyId, status, ...refusal }) => ({
      ...refusal,
      keyId,
      status: Number(status),
    })),
  }
}

function connectionOf({ id: keyId, name, createdAt, lastUsedAt, expiresAt, revokedAt }: ApiKeyRow, now: Date) {
  const ended = expiresAt !== null && expiresAt <= now ? 'expired' : 'active'
  return {
    keyId,
    name,
    state: revokedAt === null ? ended : 'revoked',
    createdAt,
    lastUsedAt: lastUsedAt ?? undefined,
    expiresAt: expiresAt ?? undefined,
  }
}

/**
 * Why a request of a directory was refused, with the status of the answer, or why a value of `attribute` was left out
 * of it. Texts that are not known are empty.
 */
export type DirectoryRefusal = Omit<NewRefusal, 'id' | 'organizationId' | 'apiKeyId'>

export interface RefusalRecorderOptions {
  readonly database: Tables
  readonly runtime: Pick<Runtime, 'newId'>
  /** The text without the secrets and tokens in it. */
  readonly redact: (text: string) => string
  readonly log: { warn(fields: { err: unknown }, message: string): void }
}

const MAX_CHARACTERS = 1_000

/**
 * Stores refusals for administrators, in the background; a failure is logged. Each organization has at most one write
 * in progress and `KEPT_REFUSALS` waiting, so that a directory that is refused again and again takes no connections
 * from others.
 */
export function createRefusalRecorder({ database, runtime, redact, log }: RefusalRecorderOptions) {
  /** Refusals that wait, by organization, while earlier ones are being written. */
  const waiting = new Map<string, NewRefusal[]>()

  async function write(organizationId: string, queue: NewRefusal[]): Promise<void> {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      try {
        await insertDirectoryRefusal(database, next)
      } catch (err) {
        log.warn({ err }, 'a refused directory request could not be recorded')
      }
    }
    waiting.delete(organizationId)
  }

  return (
    { organizationId, keyId }: Directory,
    { path, detail, userName, externalId, ...refusal }: DirectoryRefusal,
  ): void => {
    // The database has no texts with U+0000.
    const kept = (text: string) => redact(text).replaceAll('\0', '').slice(0, MAX_CHARACTERS)
    const person = { userName: kept(userName), externalId: kept(externalId) }
    const texts = { path: kept(path), detail: kept(detail), ...person }
    const added = { ...refusal, ...texts, organizationId, apiKeyId: keyId, id: runtime.newId() }
    const queue = waiting.get(organizationId) ?? []
    queue.push(added)
    if (queue.length > KEPT_REFUSALS) queue.shift()
    if (waiting.has(organizationId)) return
    waiting.set(organizationId, queue)
    void write(organizationId, queue)
  }
}
