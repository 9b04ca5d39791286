import type { ServiceImpl } from '@connectrpc/connect'
import { ApiKeyKind, type ApiKeyService } from '../../gen/svc/v2/api_key_pb.js'
import { keyToolsOf, printedKey } from '../domain/api-key.js'
import { createApiKey } from '../domain/auth/api-key.js'
import { DEFAULT_OVERLAP_SECONDS, rotateApiKey } from '../domain/auth/api-key-rotation.js'
import { revokeKeyById } from '../domain/auth/revocation.js'
import type { HandlerTools } from './handler-tools.js'
import { printedAnswer } from './printed-answer.js'
import { scopeOf } from './request-context.js'

/** The methods of API keys that write. Responses of every method say `Cache-Control: no-store`. */
export function createApiKeyHandlers({ hasher }: HandlerTools): Writes {
  return {
    createApiKey: async ({ teamId, kind, name, permissions, lifetimeSeconds }, context) => {
      const scope = scopeOf(context)
      const key = await createApiKey(keyToolsOf(scope, hasher), {
        organizationId: scope.caller.organizationId,
        teamId: teamId || undefined,
        kind: kinds[kind],
        name,
        permissions,
        seconds: lifetimeSeconds || undefined,
      })
      return printedAnswer(context, await printedKey(scope, key.id), { secret: key.secret })
    },
    rotateApiKey: async ({ id, overlapSeconds = DEFAULT_OVERLAP_SECONDS }, context) => {
      const scope = scopeOf(context)
      const key = await rotateApiKey(keyToolsOf(scope, hasher), { id, overlapSeconds })
      return printedAnswer(context, await printedKey(scope, key.id), { secret: key.secret })
    },
    revokeApiKey: async ({ id, chain }, context) => {
      const scope = scopeOf(context)
      await revokeKeyById(keyToolsOf(scope, hasher), id, { chain })
      return printedAnswer(context, await printedKey(scope, id))
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
