import { createCipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import type { Queryable } from '../../db/queryable.js'
import { invalidField, type ServiceError } from '../../errors.js'
import { findSigningKey } from '../../store/signing-key.js'

/** What a page token belongs to: the same method, organization and filter; the size of the page may change. */
export interface PageQuery {
  readonly method: string
  readonly organizationId: string
  readonly filter: Readonly<Record<string, string>>
}

/** Makes and reads page tokens. */
export interface PageTokens {
  /**
   * The token of the page that starts after `position`, a text in a format of the list's own: not empty, without
   * U+0000.
   */
  issue(query: PageQuery, position: string): Promise<string>
  /**
   * The position that a token holds; `undefined` for the empty token of the first page. Throws `PAGE_TOKEN_INVALID` for
   * a token that was changed or issued for another query.
   */
  read(query: PageQuery, token: string): Promise<string | undefined>
}

interface Keys {
  readonly authentication: Buffer
  readonly encryption: Buffer
}

const MAC_BYTES = 32
const IV_BYTES = 16
/** Positions are padded to a multiple of this, so that their length reveals nothing. */
const BLOCK_BYTES = 32

/**
 * Makes page tokens with the signing key `page_token`, which is read when first needed and then cached.
 *
 * A token is an HMAC-SHA-256 over the query and the position, followed by the position, encrypted with the HMAC as
 * initialization vector (the construction of SIV, RFC 5297): it can be neither read nor changed nor moved elsewhere.
 */
export function createPageTokens(tables: Queryable): PageTokens {
  let loaded: Promise<Keys> | undefined
  const keys = () => {
    loaded ??= loadKeys(tables).catch((error: unknown) => {
      loaded = undefined // The next call tries again.
      throw error
    })
    return loaded
  }
  return {
    issue: async (query, position) => seal(await keys(), query, padded(position)),
    read: async (query, token) => (token === '' ? undefined : unpadded(open(await keys(), query, token))),
  }
}

async function loadKeys(tables: Queryable): Promise<Keys> {
  const key = await findSigningKey(tables, 'page_token')
  if (key === undefined) throw new Error('the database has no signing key for page tokens')
  const derived = (purpose: string) => createHmac('sha256', key).update(purpose).digest()
  return { authentication: derived('page token authentication'), encryption: derived('page token encryption') }
}

function seal(keys: Keys, query: PageQuery, position: Buffer): string {
  const mac = macOf(keys, query, position)
  return Buffer.concat([mac, crypt(keys, mac, position)]).toString('base64url')
}

function open(keys: Keys, query: PageQuery, token: string): Buffer {
  const bytes = Buffer.from(token, 'base64url')
  // Decoding skips invalid characters, so the bytes must encode to the same text again.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== token) throw tokenInvalid()
  const mac = bytes.subarray(0, MAC_BYTES)
  const position = crypt(keys, mac, bytes.subarray(MAC_BYTES))
  if (!timingSafeEqual(mac, macOf(keys, query, position))) throw tokenInvalid()
  return position
}

function macOf(keys: Keys, { method, organizationId, filter }: PageQuery, position: Buffer): Buffer {
  const entries = Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1))
  // The JSON text has no U+0000, so it cannot run into the position.
  const query = JSON.stringify([method, organizationId, entries])
  return createHmac('sha256', keys.authentication).update(query).update('\0').update(position).digest()
}

/** Counter mode: the same function encrypts and decrypts. */
function crypt(keys: Keys, mac: Buffer, text: Buffer): Buffer {
  return createCipheriv('aes-256-ctr', keys.encryption, mac.subarray(0, IV_BYTES)).update(text)
}

function padded(position: string): Buffer {
  const text = Buffer.from(position)
  return Buffer.concat([text], Math.ceil(text.length / BLOCK_BYTES) * BLOCK_BYTES)
}

function unpadded(position: Buffer): string {
  const end = position.indexOf(0)
  return position.toString('utf8', 0, end === -1 ? position.length : end)
}

function tokenInvalid(): ServiceError {
  const description =
    'was changed or belongs to another query: send it unchanged with the same filter, or omit it to start again'
  return invalidField('pageToken', description, 'PAGE_TOKEN_INVALID')
}
