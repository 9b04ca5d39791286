import type { ServiceImpl } from '@connectrpc/connect'
import { ApiKeyKind, type ApiKeyService } from '../../gen/svc/v2/api_key_pb.js'
import { createApiKey, keyToolsOf, printedKey } from '../domain/auth/api-key.js'
import { DEFAULT_OVERLAP_SECONDS, rotateApiKey } from '../domain/auth/api-key-rotation.js'
import { revokeKeyById } from '../domain/auth/revocation.js'
import type { HandlerTools } from './handler-tools.js'
import { rawJson } from './raw-json.js'
import { callContextOf } from './request-context.js'

/** The methods of API keys that write. Responses of every method say `Cache-Control: no-store`. */
export function createApiKeyHandlers({ hasher }: HandlerTools): Writes {
  return {
    createApiKey: async ({ teamId, kind, name, permissions, lifetimeSeconds, expiresAt }, context) => {
      const callContext = callContextOf(context)
      const key = await createApiKey(keyToolsOf(callContext, hasher), {
        organizationId: callContext.caller.organizationId,
        teamId: teamId || undefined,
        kind: kinds[kind],
        name,
        permissions,
        seconds: lifetimeSeconds || undefined,
        expiresAt,
      })
      return rawJson(context, await printedKey(callContext, key.id), { secret: key.secret })
    },
    rotateApiKey: async ({ id, overlapSeconds = DEFAULT_OVERLAP_SECONDS }, context) => {
      const callContext = callContextOf(context)
      const key = await rotateApiKey(keyToolsOf(callContext, hasher), { id, overlapSeconds })
      return rawJson(context, await printedKey(callContext, key.id), { secret: key.secret })
    },
    revokeApiKey: async ({ id, chain }, context) => {
      const callContext = callContextOf(context)
      await revokeKeyById(keyToolsOf(callContext, hasher), id, { chain })
      return rawJson(context, await printedKey(callContext, id))
    },
  }
}

type Writes = Pick<ServiceImpl<typeof ApiKeyService>, 'createApiKey' | 'rotateApiKey' | 'revokeApiKey'>

const kinds = {
  [ApiKeyKind.UNSPECIFIED]: 'pk',
  [ApiKeyKind.PK]: 'pk',
  [ApiKeyKind.WK]: 'wk',
  [ApiKeyKind.MK]: 'mk',
} as const
