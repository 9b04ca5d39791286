import { text } from 'node:stream/consumers'
import { type CredentialOwner, ownerOfKeyId, ownerOfSecret } from '../domain/auth/credential-owner.js'
import { isCredential, unwrapped } from '../domain/auth/revocation.js'
import { createSecretHasher } from '../domain/auth/secret-hash.js'
import { notFound } from '../errors.js'
import type { CommandContext } from './command-context.js'

/** `svc keys find`: says whose an API key or a token is. What was given is never printed. */
export async function findKey(
  given: string,
  { json }: { readonly json?: true },
  context: CommandContext,
): Promise<void> {
  const secret = given === '-' ? unwrapped(await text(context.stdin)) : undefined
  if (secret !== undefined && !isCredential(secret)) {
    throw new Error('standard input has no secret or token of this service: its form or its checksum is wrong')
  }
  const { database, close } = await context.openDatabase()
  try {
    const hasher = createSecretHasher(context.config.secretPepper)
    const owner =
      secret === undefined ? await ownerOfKeyId(database, given) : await ownerOfSecret(database, hasher, secret)
    if (owner === undefined) {
      throw secret === undefined ? notFound('API key', given) : new Error('no key and no token has this secret')
    }
    const facts = factsOf(owner)
    context.stdout.write(json ? `${JSON.stringify(facts)}\n` : linesOf(facts))
  } finally {
    await close()
  }
}

type Facts = Readonly<Record<string, string | Date | null>>

/** What is known of a credential; times that have not come are null. */
function factsOf(owner: CredentialOwner): Facts {
  const { credential } = owner
  if (credential === 'user token') {
    const { organizationId, membership, userId, createdAt, expiresAt } = owner.token
    return { credential, organizationId, organizationName: membership.organization.name, userId, createdAt, expiresAt }
  }
  const { organization, team, teamId, ...key } = owner.key
  return {
    credential,
    id: key.id,
    kind: key.kind,
    organizationId: key.organizationId,
    organizationName: organization.name,
    teamId: teamId ?? '',
    teamName: team?.name ?? '',
    name: key.name,
    createdBy: key.createdBy,
    createdAt: key.createdAt,
    lastUsedAt: key.lastUsedAt,
    expiresAt: key.expiresAt,
    revokedAt: key.revokedAt,
  }
}

function linesOf(facts: Facts): string {
  const width = Math.max(...Object.keys(facts).map((name) => name.length))
  return Object.entries(facts)
    .map(([name, fact]) =>
      `${name.padEnd(width)}  ${fact instanceof Date ? fact.toISOString() : (fact ?? '')}`.trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}
