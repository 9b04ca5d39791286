import type { ApiKeyModel, UserTokenModel } from '../../gen/prisma/models.js'
import type { Tables } from '../db/tables.js'

/** An organization or a team, by name. */
type Named = { readonly name: string }

/** A key, and what it belongs to. */
export type KeyOwnerRow = Omit<ApiKeyModel, 'secretHash' | 'permissions' | 'revokedBy'> & {
  readonly organization: Named
  readonly team: Named | null
}

/** Whose key it is, by its id or by a hash under which its secret is stored; of any organization, revoked ones too. */
export function findKeyOwner(
  tables: Tables,
  key: { readonly id: string } | { readonly hashes: readonly Uint8Array[] },
): Promise<KeyOwnerRow | null> {
  return tables.models.apiKey.findFirst({
    where: 'id' in key ? { id: key.id } : { secretHash: { in: bytes(key.hashes) } },
    orderBy: { createdAt: 'desc' },
    select: {
      id: true,
      organizationId: true,
      teamId: true,
      kind: true,
      name: true,
      createdAt: true,
      createdBy: true,
      lastUsedAt: true,
      expiresAt: true,
      revokedAt: true,
      organization: { select: { name: true } },
      team: { select: { name: true } },
    },
  })
}

/** The id of the key of an access token. */
export async function findKeyOfSession(
  tables: Tables,
  hashes: readonly Uint8Array[],
): Promise<{ readonly id: string } | undefined> {
  const where = { tokenHash: { in: bytes(hashes) } }
  const session = await tables.models.apiKeySession.findFirst({ where, select: { apiKeyId: true } })
  return session === null ? undefined : { id: session.apiKeyId }
}

/** A user token, and whose it is. */
export type UserTokenOwnerRow = UserTokenModel & { readonly membership: { readonly organization: Named } }

/** Which user tokens to read. */
export type UserTokenSelection =
  | { readonly hashes: readonly Uint8Array[] }
  | { readonly organizationId?: string | undefined; readonly userId?: string | undefined }

/** User tokens, expired ones too, the oldest first. */
export function findUserTokens(tables: Tables, selection: UserTokenSelection): Promise<UserTokenOwnerRow[]> {
  return tables.models.userToken.findMany({
    where: 'hashes' in selection ? { tokenHash: { in: bytes(selection.hashes) } } : given(selection),
    orderBy: [{ createdAt: 'asc' }, { userId: 'asc' }],
    select: {
      tokenHash: true,
      organizationId: true,
      userId: true,
      createdAt: true,
      expiresAt: true,
      membership: { select: { organization: { select: { name: true } } } },
    },
  })
}

function given({ organizationId, userId }: Exclude<UserTokenSelection, { hashes: unknown }>) {
  return { ...(organizationId !== undefined && { organizationId }), ...(userId !== undefined && { userId }) }
}

function bytes(hashes: readonly Uint8Array[]): Uint8Array<ArrayBuffer>[] {
  return hashes.map((hash) => new Uint8Array(hash))
}
