import { createHash, randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { pino } from 'pino'
import { serve } from './serve.js'

/** A refusal of the API, with its status and code. */
export class Refusal extends Error {
  readonly statusCode: number
  readonly code: string
  constructor(statusCode: number, code: string, message: string) {
    super(message)
    this.statusCode = statusCode
    this.code = code
  }
}

/** Makes the application of a peer: an id and a line of log for each request, and errors in the form of the API. */
export function createPeerApp(): FastifyInstance {
  const log = pino({ level: 'info' }, pino.destination({ dest: '/dev/null', sync: true }))
  const app = Fastify({
    bodyLimit: 4 * 1024 * 1024,
    trustProxy: true,
    genReqId: () => randomUUID(),
    ajv: { customOptions: { removeAdditional: false } },
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  app.addHook('onResponse', async ({ id: requestId, method, url }, reply) => {
    const { statusCode: status, elapsedTime: durationMs } = reply
    log.info({ requestId, method, path: url.split('?', 1)[0], status, durationMs })
  })
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500
    const code = error instanceof Refusal ? error.code : status < 500 ? 'invalid_argument' : 'internal'
    return reply.code(status).send({ code, message: status < 500 ? error.message : 'internal error' })
  })
  return app
}

/** Listens on a free port until the parent says stop. */
export async function servePeer(app: FastifyInstance, disconnect: () => Promise<unknown>): Promise<void> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const [address] = app.addresses()
  serve(typeof address === 'object' ? address.port : 0, async () => {
    await app.close()
    await disconnect()
  })
}

/** The kind of the holder of a bearer token, and the hash of the token. */
export function bearerOf(request: FastifyRequest): { readonly kind: 'key' | 'user'; readonly hash: Buffer } {
  const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) throw new Refusal(401, 'unauthenticated', 'a bearer credential is required')
  return { kind: token.startsWith('svc_token_') ? 'key' : 'user', hash: createHash('sha256').update(token).digest() }
}

/** The error for a credential that is not, or no longer, valid. */
export function invalidBearer(): Refusal {
  return new Refusal(401, 'unauthenticated', 'the bearer credential is not valid')
}

/** The schema of the body of `PATCH /v2/priorities/{id}`. */
export const priorityBody = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 255 },
    description: { type: 'string', maxLength: 10_000 },
    isAiSelectable: { type: 'boolean' },
  },
} as const

/** The body itself. */
export interface PriorityBody {
  readonly name?: string
  readonly description?: string
  readonly isAiSelectable?: boolean
}

const resourceText = { type: 'string', maxLength: 10_000 } as const

/** The schema of the body of `PUT /v2/app-resources/batch`. */
export const batchBody = {
  type: 'object',
  additionalProperties: false,
  required: ['resources'],
  properties: {
    resources: {
      type: 'array',
      minItems: 1,
      maxItems: 1000,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id'],
        properties: {
          id: resourceText,
          resourceType: resourceText,
          name: resourceText,
          description: resourceText,
          externalId: resourceText,
          scopedId: resourceText,
        },
      },
    },
  },
} as const

/** The body itself. */
export interface BatchBody {
  readonly resources: readonly ResourceUpdate[]
}

/** New values of one app resource. */
export interface ResourceUpdate {
  readonly id: string
  readonly resourceType?: string
  readonly name?: string
  readonly description?: string
  readonly externalId?: string
  readonly scopedId?: string
}

/** Throws if the batch names a resource twice; returns the ids. */
export function distinctIds({ resources }: BatchBody): string[] {
  const ids = resources.map(({ id }) => id)
  if (new Set(ids).size < ids.length) throw new Refusal(400, 'invalid_argument', 'an id stands there twice')
  return ids
}
