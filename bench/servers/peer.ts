import { createHash, randomUUID } from 'node:crypto'
import Fastify, { type FastifyRequest } from 'fastify'
import pg from 'pg'
import { pino } from 'pino'
import { v7 } from 'uuid'
import { statements } from './peer-statements.js'
import { serve, settings } from './serve.js'

// What a good engineer would write by hand for four of the operations: Fastify, pg with named statements, the same
// tables and the same JSON, the bearer as one indexed lookup, one line of log per request. PostgreSQL prints
// a journey as the whole answer.
const { connectionString } = settings<{ connectionString: string }>()
const pool = new pg.Pool({ connectionString, max: 10 })
const log = pino({ level: 'info' }, pino.destination({ dest: '/dev/null', sync: true }))
const app = Fastify({ bodyLimit: 4 * 1024 * 1024 })

interface Caller {
  readonly kind: 'key' | 'user'
  readonly id: string
  readonly name: string
  readonly organizationId: string
}

class Refusal extends Error {
  readonly statusCode: number
  readonly code: string
  constructor(statusCode: number, code: string, message: string) {
    super(message)
    this.statusCode = statusCode
    this.code = code
  }
}

app.addHook('onRequest', async (_request, reply) => {
  reply.header('x-request-id', randomUUID())
})
app.addHook('onResponse', async (request, reply) => {
  const { method, url } = request
  const requestId = reply.getHeader('x-request-id')
  log.info({ requestId, method, path: url.split('?', 1)[0], status: reply.statusCode, durationMs: reply.elapsedTime })
})
app.setErrorHandler((error: Error & { statusCode?: number; code?: string }, _request, reply) => {
  const status = error.statusCode ?? 500
  const code = error instanceof Refusal ? error.code : status < 500 ? 'invalid_argument' : 'internal'
  return reply.code(status).send({ code, message: status < 500 ? error.message : 'internal error' })
})

async function callerOf(request: FastifyRequest): Promise<Caller> {
  const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) throw new Refusal(401, 'unauthenticated', 'a bearer credential is required')
  const kind = token.startsWith('svc_token_') ? 'key' : 'user'
  const hash = createHash('sha256').update(token).digest()
  const { rows } = await pool.query(kind === 'key' ? statements.keyOfToken([hash]) : statements.userOfToken([hash]))
  if (rows[0] === undefined) throw new Refusal(401, 'unauthenticated', 'the bearer credential is not valid')
  return { kind, ...rows[0] }
}

app.get<{ Params: { id: string } }>('/v2/journeys/:id', async (request, reply) => {
  const caller = await callerOf(request)
  const today = new Date().toISOString().slice(0, 10)
  const { rows } = await pool.query<{ json: string }>(
    statements.journey([request.params.id, caller.organizationId, today]),
  )
  if (rows[0] === undefined) throw new Refusal(404, 'not_found', `no journey ${request.params.id}`)
  return reply.type('application/json').send(rows[0].json)
})

const priorityBody = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 255 },
    description: { type: 'string', maxLength: 10_000 },
    isAiSelectable: { type: 'boolean' },
  },
} as const

interface PriorityBody {
  readonly name?: string
  readonly description?: string
  readonly isAiSelectable?: boolean
}

app.patch<{ Params: { id: string }; Body: PriorityBody }>(
  '/v2/priorities/:id',
  { schema: { body: priorityBody } },
  async (request, reply) => {
    const caller = await callerOf(request)
    if (caller.kind !== 'user') throw new Refusal(403, 'permission_denied', 'this method takes user tokens alone')
    const { name, description, isAiSelectable } = request.body
    const values = [request.params.id, caller.organizationId, name, description, isAiSelectable]
    const { rows } = await pool.query(
      statements.updatePriority([...values, v7(), caller.id, caller.name, reply.getHeader('x-request-id')]),
    )
    if (rows[0] === undefined) throw new Refusal(404, 'not_found', `no priority ${request.params.id}`)
    return { data: rows[0] }
  },
)

app.get<{ Querystring: { teamId: string; pageSize?: number } }>('/v2/app-instances', async (request) => {
  const caller = await callerOf(request)
  const { teamId, pageSize = 10_000 } = request.query
  const { rows } = await pool.query(statements.appInstances([caller.organizationId, teamId, Number(pageSize) + 1]))
  // A missing agent card is omitted from the JSON.
  const data = rows.slice(0, Number(pageSize)).map(({ ordinal: _ordinal, a2aAgentCard, ...row }) => ({
    ...row,
    ...(a2aAgentCard !== null && { a2aAgentCard }),
  }))
  return { data, nextPageToken: rows.length > data.length ? String(rows[data.length]?.ordinal) : '' }
})

const resourceText = { type: 'string', maxLength: 10_000 } as const
const batchBody = {
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

interface BatchBody {
  readonly resources: readonly Readonly<Record<string, string>>[]
}

app.put<{ Body: BatchBody }>('/v2/app-resources/batch', { schema: { body: batchBody } }, async (request, reply) => {
  const caller = await callerOf(request)
  const { resources } = request.body
  const ids = resources.map(({ id }) => id)
  if (new Set(ids).size < ids.length) throw new Refusal(400, 'invalid_argument', 'an id stands there twice')
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const { rowCount } = await client.query(statements.lockResources([caller.organizationId, ids]))
    if (rowCount !== ids.length) throw new Refusal(404, 'not_found', 'a resource is missing')
    const column = (name: string) => resources.map((resource) => resource[name] ?? null)
    const columns = ['resourceType', 'name', 'description', 'externalId', 'scopedId'].map(column)
    const eventIds = resources.map(() => v7())
    const actor = [caller.kind === 'key' ? 'API_KEY' : 'USER', caller.id, caller.name, reply.getHeader('x-request-id')]
    const { rows } = await client.query(
      statements.updateResources([caller.organizationId, ids, ...columns, eventIds, ...actor]),
    )
    await client.query('COMMIT')
    const byId = new Map(rows.map((row) => [row.id, row]))
    return { data: ids.map((id) => byId.get(id)) }
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
})

await app.listen({ port: 0, host: '127.0.0.1' })
const [address] = app.addresses()
serve(typeof address === 'object' ? address.port : 0, async () => {
  await app.close()
  await pool.end()
})
