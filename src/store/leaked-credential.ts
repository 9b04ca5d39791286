import { Prisma } from '../../gen/prisma/client.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { ofOrganization } from './tenant.js'

/** A credential that somebody has found: the secret of a key, or a token. */
export interface LeakedCredential {
  readonly organizationId: string
  /** The key whose secret it is; a space if it is a token. */
  readonly keyId: string
  /** The hash of the token; not that of any if it is a secret. */
  readonly tokenHash: Uint8Array
}

// Of all organizations, because a secret does not name its own; revoked keys, too.
const find = createStatement<{ readonly hashes: readonly Uint8Array[] }, LeakedCredential>({
  name: 'find_leaked_credential',
  columns: { organizationId: 'text', keyId: 'text', tokenHash: 'bytea' },
  text: ({ hashes }) => {
    const tokens = (table: string) => Prisma.sql`
SELECT organization_id, ' ', token_hash, NULL::timestamptz FROM ${Prisma.raw(table)} WHERE token_hash = ANY (${hashes}::bytea[])`
    return Prisma.sql`
SELECT found.organization_id AS "organizationId", found.key_id AS "keyId", found.token_hash AS "tokenHash"
  FROM (SELECT organization_id, id AS key_id, ''::bytea AS token_hash, revoked_at FROM api_keys
         WHERE secret_hash = ANY (${hashes}::bytea[])
         UNION ALL ${tokens('api_key_sessions')} UNION ALL ${tokens('user_tokens')}) AS found
 ORDER BY found.revoked_at NULLS FIRST LIMIT 1`
  },
})

/** A token by its hash. */
type TokenOfHash = Pick<LeakedCredential, 'organizationId' | 'tokenHash'>

/** A token that was ended. */
export interface LeakedToken {
  readonly organizationId: string
  /** The id of its user or key. */
  readonly targetId: string
  readonly isOfUser: boolean
  /** The team of its key, if it has one. */
  readonly teamId: string | null
}

const tokenColumns = { organizationId: 'text', targetId: 'text', isOfUser: 'bool', teamId: 'text' } as const

const deleteSession = createStatement<TokenOfHash, LeakedToken>({
  name: 'delete_leaked_session',
  columns: tokenColumns,
  text: ({ tokenHash }) => Prisma.sql`
DELETE FROM api_key_sessions s USING api_keys k
 WHERE ${ofOrganization('s')} AND s.token_hash = ${tokenHash}
   AND ${ofOrganization('k')} AND k.id = s.api_key_id
RETURNING s.organization_id AS "organizationId", s.api_key_id AS "targetId", false AS "isOfUser", k.team_id AS "teamId"`,
})

const deleteUserToken = createStatement<TokenOfHash, LeakedToken>({
  name: 'delete_leaked_user_token',
  columns: tokenColumns,
  text: ({ tokenHash }) => Prisma.sql`
DELETE FROM user_tokens t WHERE ${ofOrganization('t')} AND t.token_hash = ${tokenHash}
RETURNING t.organization_id AS "organizationId", t.user_id AS "targetId", true AS "isOfUser", NULL::text AS "teamId"`,
})

/** The statements of this file. */
export const leakedCredentialStatements = [find, deleteSession, deleteUserToken]

/** The credential that is stored under one of the hashes; of a secret, even if its key is revoked. */
export async function findLeaked(
  transaction: Tables,
  hashes: readonly Uint8Array[],
): Promise<LeakedCredential | undefined> {
  const [found] = await transaction.run(find, { hashes })
  return found
}

/** Ends a token, whether of a key or of a user. Both statements are sent, whatever it is. */
export async function deleteLeakedToken(transaction: Tables, token: TokenOfHash): Promise<LeakedToken[]> {
  const sessions = await transaction.run(deleteSession, token)
  return [...sessions, ...(await transaction.run(deleteUserToken, token))]
}
