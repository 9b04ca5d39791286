import type { ServiceImpl } from '@connectrpc/connect'
import { ApiKeyKind, type ApiKeyService } from '../../gen/svc/v2/api_key_pb.js'
import { createKey, revokeKey, rotateKey } from '../domain/api-key.js'
import { DEFAULT_OVERLAP_SECONDS } from '../domain/auth/api-key-rotation.js'
import type { HandlerTools } from './handler-tools.js'
import { printedAnswer } from './printed-answer.js'
import { scopeOf } from './request-context.js'

/** The methods of API keys that write. Responses of every method say `Cache-Control: no-store`. */
export function createApiKeyHandlers({ hasher }: HandlerTools): Writes {
  return {
    createApiKey: async ({ teamId, kind, name, permissions, lifetimeSeconds }, context) => {
      const { json, secret } = await createKey(scopeOf(context), hasher, {
        teamId: teamId || undefined,
        kind: kinds[kind],
        name,
        permissions,
        seconds: lifetimeSeconds || undefined,
      })
      return printedAnswer(context, json, { secret })
    },
    rotateApiKey: async ({ id, overlapSeconds = DEFAULT_OVERLAP_SECONDS }, context) => {
      const { json, secret } = await rotateKey(scopeOf(context), hasher, { id, overlapSeconds })
      return printedAnswer(context, json, { secret })
    },
    revokeApiKey: async (request, context) => printedAnswer(context, await revokeKey(scopeOf(context), request)),
  }
}

type Writes = Pick<ServiceImpl<typeof ApiKeyService>, 'createApiKey' | 'rotateApiKey' | 'revokeApiKey'>

const kinds = {
  [ApiKeyKind.UNSPECIFIED]: 'pk',
  [ApiKeyKind.PK]: 'pk',
  [ApiKeyKind.WK]: 'wk',
  [ApiKeyKind.MK]: 'mk',
} as const
