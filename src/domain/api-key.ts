import { apiKeyStore } from '../store/api-key.js'
import type { KeyTools } from './auth/api-key.js'
import type { SecretHasher } from './auth/secret-hash.js'
import type { CallContext } from './caller/caller.js'
import { written } from './standard-methods.js'
import { standardResource } from './standard-resource.js'

export const apiKeys = standardResource(apiKeyStore, { name: 'API key' })

export async function printedKey(context: CallContext, id: string): Promise<string> {
  return (await written(context, context.tables, apiKeys, id)).json
}

/** With what a call makes, rotates and revokes keys. */
export function keyToolsOf(call: CallContext, hasher: SecretHasher): KeyTools {
  return { database: call.tables, runtime: call.runtime, hasher, call }
}
