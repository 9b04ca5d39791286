import type { Tables } from '../../db/tables.js'
import { loadedOnce } from '../../runtime/loaded-once.js'
import type { Runtime } from '../../runtime/runtime.js'
import { selectSigningKeys } from '../../store/signing-key.js'
import { createSealer, type Sealer } from '../value/sealed-text.js'
import type { KeyUses } from './key-use.js'
import type { SecretHasher } from './secret-hash.js'

export const ACCESS_TOKEN_PREFIX = 'svc_token_'
export const USER_TOKEN_PREFIX = 'svc_user_'

type TokenPrefix = typeof ACCESS_TOKEN_PREFIX | typeof USER_TOKEN_PREFIX

export const BEARER_SEAL = { purpose: 'bearer token', macBytes: 16, blockBytes: 16 }

/** The body of a token, after its prefix: 256 random bits, and the sealed organization. */
const BODY = /^([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{43,})$/

/** Whether the body of a token, which follows its prefix, is complete. */
export function isWholeTokenBody(body: string): boolean {
  return BODY.test(body)
}

/** Ids of organizations have at most so many characters. */
const MAX_ORGANIZATION_ID = 128
/** How long bodies are: their length shows the number of blocks into which the organization is padded. */
const bodyLengths = Array.from({ length: MAX_ORGANIZATION_ID / BEARER_SEAL.blockBytes }, (_, block) => {
  const sealedBytes = BEARER_SEAL.macBytes + (block + 1) * BEARER_SEAL.blockBytes
  return 43 + Math.ceil((sealedBytes * 4) / 3)
})

/** The beginnings of a text that may be the body of a token, the shortest first. */
export function tokenBodiesAt(text: string): string[] {
  const [run = ''] = /^[A-Za-z0-9_-]*/.exec(text) ?? []
  return bodyLengths.flatMap((length) => (length <= run.length ? run.slice(0, length) : []))
}

export type BearerTokens = ReturnType<typeof createBearerTokens>

/** The dependencies for making and recognizing credentials; each function takes the ones that it needs. */
export interface CredentialTools {
  readonly database: Tables
  readonly hasher: SecretHasher
  readonly bearerTokens: BearerTokens
  readonly keyUses: KeyUses
  readonly runtime: Runtime
}

/** The key that seals. Keys whose names begin with this name can also open seals, so that it can be replaced. */
const KEY_NAME = 'bearer_token'

/** Bearer tokens with the signing keys of the database, which are read once, when first needed. */
export function createBearerTokens({ database, runtime }: { readonly database: Tables; readonly runtime: Runtime }) {
  const sealers = loadedOnce(() => loadSealers(database))
  return {
    /** A new token: the prefix, 256 random bits, and the organization, not empty, sealed for this token only. */
    issue: async (prefix: TokenPrefix, organizationId: string): Promise<string> => {
      const { current } = await sealers()
      const start = prefix + Buffer.from(runtime.randomBytes(32)).toString('base64url')
      return start + current.seal(start, organizationId)
    },
    /** The organization that a token names; undefined for what no process can have made. Does not query tokens. */
    organizationOf: async (prefix: TokenPrefix, token: string): Promise<string | undefined> => {
      const [, random = '', sealed = ''] = BODY.exec(token.slice(prefix.length)) ?? []
      if (sealed === '') return undefined
      const { all } = await sealers()
      for (const sealer of all) {
        const organizationId = sealer.open(prefix + random, sealed)
        if (organizationId !== undefined) return organizationId
      }
      return undefined
    },
  }
}

async function loadSealers(database: Tables): Promise<{ current: Sealer; all: readonly Sealer[] }> {
  const keys = await selectSigningKeys(database, KEY_NAME)
  const sealers = keys.map(({ name, key }) => ({ name, sealer: createSealer(key, BEARER_SEAL) }))
  const current = sealers.find(({ name }) => name === KEY_NAME)?.sealer
  if (current === undefined) throw new Error(`the database has no signing key ${KEY_NAME}`)
  return { current, all: [current, ...sealers.flatMap(({ sealer }) => (sealer === current ? [] : sealer))] }
}
