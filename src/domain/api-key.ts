import { apiKeyStore } from '../store/api-key.js'
import { type ApiKeyRequest, createApiKey, type KeyAuthor } from './auth/api-key.js'
import { rotateApiKey } from './auth/api-key-rotation.js'
import { revokeKeyById } from './auth/revocation.js'
import type { SecretHasher } from './auth/secret-hash.js'
import type { Scope } from './caller/caller.js'
import { written } from './standard-methods.js'
import { standardResource, type WithSecret } from './standard-resource.js'

/** API keys as callers read them. */
export const apiKeys = standardResource(apiKeyStore, { name: 'API key' })

/** Makes a key of the caller's organization. Throws as `createApiKey` does. */
export async function createKey(
  scope: Scope,
  hasher: SecretHasher,
  request: Omit<ApiKeyRequest, 'organizationId' | 'by'>,
): Promise<WithSecret> {
  const { organizationId } = scope.caller
  const made = await createApiKey(toolsOf(scope, hasher), { ...request, organizationId, by: authorOf(scope) })
  return { json: await printed(scope, made.id), secret: made.secret }
}

/** Makes the successor of a key. Throws as `rotateApiKey` does. */
export async function rotateKey(
  scope: Scope,
  hasher: SecretHasher,
  request: { readonly id: string; readonly overlapSeconds: number },
): Promise<WithSecret> {
  const made = await rotateApiKey(toolsOf(scope, hasher), { ...request, by: authorOf(scope) })
  return { json: await printed(scope, made.id), secret: made.secret }
}

/** Revokes a key, with its chain if that is asked for, and returns its JSON. Throws as `revokeKeyById` does. */
export async function revokeKey(
  scope: Scope,
  { id, chain }: { readonly id: string; readonly chain: boolean },
): Promise<string> {
  await revokeKeyById(scope.tables, scope.runtime, id, { chain, by: authorOf(scope) })
  return printed(scope, id)
}

function toolsOf({ tables, runtime }: Scope, hasher: SecretHasher) {
  return { database: tables, runtime, hasher }
}

function authorOf(scope: Scope): KeyAuthor {
  const { name, id } = scope.caller
  return { name: name === id ? id : `${name} (${id})`, call: scope }
}

async function printed(scope: Scope, id: string): Promise<string> {
  return (await written(scope, scope.tables, apiKeys, id)).json
}
