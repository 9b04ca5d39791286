import { text } from 'node:stream/consumers'
import { inspectApiKeySecret } from '../domain/auth/api-key-secret.js'
import { type CredentialOwner, ownerOfSecret } from '../domain/auth/credential-owner.js'
import { credentialsIn } from '../domain/auth/leaked-text.js'
import { createSecretHasher } from '../domain/auth/secret-hash.js'
import { notFound } from '../errors.js'
import { findKeyOwner } from '../store/api-key.js'
import { aligned, answer, type CommandContext, type JsonOption, requirePepper } from './command-context.js'

/** `svc keys find`: shows who an API key, or the first credential in a text, belongs to. The text is never printed. */
export async function findKey(given: string, options: JsonOption, context: CommandContext): Promise<void> {
  const isSecret = given === '-'
  const [secret] = isSecret ? credentialsIn(await text(context.stdin)) : []
  if (isSecret && secret === undefined) {
    throw new Error(
      'standard input does not contain a secret or token of this service: the format or the checksum is wrong',
    )
  }
  const owner = await context.onDatabase(async (database): Promise<CredentialOwner | undefined> => {
    if (secret === undefined) {
      const key = await findKeyOwner(database, { id: given })
      return key === null ? undefined : { credential: 'API key', key }
    }
    await requirePepper(database, context)
    return ownerOfSecret(database, createSecretHasher(context.config.peppers), secret)
  })
  if (owner === undefined) {
    throw isSecret ? new Error('no key or token has this secret') : notFound('API key', given)
  }
  const facts = factsOf(owner)
  const textOf = (fact: string | Date | null) => (fact instanceof Date ? fact.toISOString() : (fact ?? ''))
  answer(context, options, facts, aligned(Object.entries(facts).map(([name, fact]) => [name, textOf(fact)])))
}

/** `svc keys check`: whether a text can be a secret. The text is never printed, so that it gets into no log. */
export async function checkSecret(argument: string, { stdin, stdout }: CommandContext): Promise<void> {
  const secret = argument === '-' ? (await text(stdin)).trim() : argument
  const inspection = inspectApiKeySecret(secret)
  if (inspection.ok) stdout.write(`an API key secret of kind ${inspection.kind}\n`)
  else throw new Error(`not an API key secret: the ${inspection.fault} is wrong`)
}

/** The facts about a credential. The time of an event that has not happened is null. */
function factsOf(owner: CredentialOwner): Readonly<Record<string, string | Date | null>> {
  const { credential } = owner
  if (credential === 'user token') {
    const { organizationId, membership, userId, createdAt, expiresAt } = owner.token
    return { credential, organizationId, organizationName: membership.organization.name, userId, createdAt, expiresAt }
  }
  const { organization, team, teamId, id, kind, organizationId, name, createdBy, ...times } = owner.key
  const { createdAt, lastUsedAt, expiresAt, revokedAt } = times
  const [organizationName, teamName] = [organization.name, team?.name ?? '']
  const reach = { organizationId, organizationName, teamId: teamId ?? '', teamName }
  return { credential, id, kind, ...reach, name, createdBy, createdAt, lastUsedAt, expiresAt, revokedAt }
}
