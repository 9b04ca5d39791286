import type { FastifyRequest } from 'fastify'
import pg from 'pg'
import { v7 } from 'uuid'
import {
  type BatchBody,
  batchBody,
  bearerOf,
  createPeerApp,
  distinctIds,
  invalidBearer,
  type PriorityBody,
  priorityBody,
  Refusal,
  type ResourceUpdate,
  servePeer,
} from './peer-app.js'
import { statements } from './peer-statements.js'
import { settings } from './serve.js'

// The hand-written peer: four of the operations as a good engineer would write them, with Fastify, pg with named
// statements, the same tables and the same JSON, the bearer as one indexed lookup, and one line of log per request.
// PostgreSQL prints a journey as the whole answer.
const { connectionString } = settings<{ connectionString: string }>()
const pool = new pg.Pool({ connectionString, max: 10 })
const app = createPeerApp()

interface Caller {
  readonly kind: 'key' | 'user'
  readonly id: string
  readonly name: string
  readonly organizationId: string
}

async function callerOf(request: FastifyRequest): Promise<Caller> {
  const { kind, hash } = bearerOf(request)
  const { rows } = await pool.query(kind === 'key' ? statements.keyOfToken([hash]) : statements.userOfToken([hash]))
  if (rows[0] === undefined) throw invalidBearer()
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

app.patch<{ Params: { id: string }; Body: PriorityBody }>(
  '/v2/priorities/:id',
  { schema: { body: priorityBody } },
  async (request) => {
    const caller = await callerOf(request)
    if (caller.kind !== 'user') throw new Refusal(403, 'permission_denied', 'this method takes user tokens alone')
    const { name, description, isAiSelectable } = request.body
    const values = [request.params.id, caller.organizationId, name, description, isAiSelectable]
    const { rows } = await pool.query(statements.updatePriority([...values, v7(), caller.id, caller.name, request.id]))
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

app.put<{ Body: BatchBody }>('/v2/app-resources/batch', { schema: { body: batchBody } }, async (request) => {
  const caller = await callerOf(request)
  const { resources } = request.body
  const ids = distinctIds(request.body)
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const { rowCount } = await client.query(statements.lockResources([caller.organizationId, ids]))
    if (rowCount !== ids.length) throw new Refusal(404, 'not_found', 'a resource is missing')
    const column = (name: keyof ResourceUpdate) => resources.map((resource) => resource[name] ?? null)
    const names = ['resourceType', 'name', 'description', 'externalId', 'scopedId'] as const
    const eventIds = resources.map(() => v7())
    const actor = [caller.kind === 'key' ? 'API_KEY' : 'USER', caller.id, caller.name, request.id]
    const { rows } = await client.query(
      statements.updateResources([caller.organizationId, ids, ...names.map(column), eventIds, ...actor]),
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

await servePeer(app, () => pool.end())
