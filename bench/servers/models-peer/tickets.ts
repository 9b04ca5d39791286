import type { FastifyInstance } from 'fastify'
import type { Prisma, PrismaClient } from '../../../gen/prisma/client.js'
import { type PriorityBody, priorityBody, Refusal } from '../peer-app.js'
import { auditEvent } from './audit.js'
import { callerOf, notFound, requireIn, requireTeam } from './caller.js'
import { journeyJson, journeyParts } from './journey.js'

const priorityFields = {
  id: true,
  teamId: true,
  priority: true,
  description: true,
  scopedId: true,
  name: true,
  isAiSelectable: true,
} as const

const definitionParts = {
  conditions: { orderBy: { position: 'asc' } },
  actions: { orderBy: { position: 'asc' } },
} as const

const priorityQuery = {
  type: 'object',
  additionalProperties: false,
  required: ['teamId'],
  properties: {
    teamId: { type: 'string', minLength: 1 },
    pageSize: { type: 'integer', minimum: 0, default: 0 },
    pageToken: { type: 'string', pattern: '^[0-9]*$', default: '' },
  },
} as const

interface PriorityQuery {
  readonly teamId: string
  readonly pageSize: number
  readonly pageToken: string
}

/**
 * Adds the Get, List and Update of priorities, `GET /v2/journeys/{id}` and `GET /v2/teams/{team_id}/sla-definitions`.
 */
export function addTicketRoutes(app: FastifyInstance, prisma: PrismaClient): void {
  app.patch<{ Params: { id: string }; Body: PriorityBody }>(
    '/v2/priorities/:id',
    { schema: { body: priorityBody } },
    async (request) => {
      const caller = await callerOf(prisma, request)
      if (caller.kind !== 'USER') throw new Refusal(403, 'permission_denied', 'this method takes user tokens alone')
      const { id } = request.params
      const where = { organizationId_id: { organizationId: caller.organizationId, id } }
      const data = await prisma.$transaction(async (tx) => {
        const found = await tx.priority.findUnique({ where, select: { teamId: true } })
        if (found === null) throw notFound(`priority ${id}`)
        const { teamId } = found
        requireIn(caller, teamId, 'tickets:write', `priority ${id}`)
        const updated = await tx.priority.update({ where, data: request.body, select: priorityFields })
        const audited = { action: 'priority.update', targetType: 'priority', targetId: id, teamId }
        await tx.auditEvent.create({ data: auditEvent(caller, request.id, audited), select: { id: true } })
        return updated
      })
      return { data }
    },
  )

  app.get<{ Params: { id: string } }>('/v2/priorities/:id', async (request) => {
    const caller = await callerOf(prisma, request)
    const { id } = request.params
    const where = { organizationId_id: { organizationId: caller.organizationId, id } }
    const data = await prisma.priority.findUnique({ where, select: priorityFields })
    if (data === null) throw notFound(`priority ${id}`)
    requireIn(caller, data.teamId, 'tickets:read', `priority ${id}`)
    return { data }
  })

  app.get<{ Querystring: PriorityQuery }>(
    '/v2/priorities',
    { schema: { querystring: priorityQuery } },
    async (request) => {
      const caller = await callerOf(prisma, request)
      const { teamId, pageSize, pageToken } = request.query
      await requireTeam(prisma, caller, teamId, 'tickets:read')
      const size = Math.min(pageSize || 100, 1_000)
      const found = await prisma.priority.findMany({
        where: { organizationId: caller.organizationId, teamId, ordinal: { gt: BigInt(pageToken) } },
        orderBy: { ordinal: 'asc' },
        take: size + 1,
        select: { ...priorityFields, ordinal: true },
      })
      const page = found.slice(0, size)
      return {
        data: page.map(({ ordinal: _ordinal, ...priority }) => priority),
        nextPageToken: found.length > size ? String(page.at(-1)?.ordinal) : '',
      }
    },
  )

  app.get<{ Params: { id: string } }>('/v2/journeys/:id', async (request) => {
    const caller = await callerOf(prisma, request)
    const { id } = request.params
    const { organizationId } = caller
    const journey = await prisma.journey.findUnique({
      where: { organizationId_id: { organizationId, id } },
      include: journeyParts,
    })
    if (journey === null) throw notFound(`journey ${id}`)
    const { requesterUserId, requesterManagerUserId, teamId } = journey
    const isRelated = caller.kind === 'USER' && [requesterUserId, requesterManagerUserId].includes(caller.id)
    if (!isRelated) requireIn(caller, teamId, 'tickets:read', `journey ${id}`)
    return { data: journeyJson(journey, new Date()) }
  })

  app.get<{ Params: { teamId: string } }>('/v2/teams/:teamId/sla-definitions', async (request) => {
    const caller = await callerOf(prisma, request)
    const { teamId } = request.params
    await requireTeam(prisma, caller, teamId, 'tickets:read')
    const definitions = await prisma.slaDefinition.findMany({
      where: { organizationId: caller.organizationId, teamId },
      orderBy: { ordinal: 'asc' },
      include: definitionParts,
    })
    return { data: definitions.map(definitionJson) }
  })
}

type Definition = Prisma.SlaDefinitionGetPayload<{ include: typeof definitionParts }>

function definitionJson(row: Definition) {
  const { organizationId: _organizationId, ordinal: _ordinal, version: _version, archivedAt, ...definition } = row
  return {
    ...definition,
    startingPoint: `SLA_STARTING_POINT_${definition.startingPoint}`,
    metric: `SLA_METRIC_${definition.metric}`,
    conditions: definition.conditions.map(({ id, slaDefinitionId, conditionRule, ...condition }) => ({
      id,
      slaDefinitionId,
      conditionType: `SLA_CONDITION_TYPE_${condition.conditionType}`,
      ...(conditionRule !== null && { conditionRule }),
      resumePolicy: condition.resumePolicy,
      priority: condition.priority,
    })),
    actions: undefined,
    actionDefinitions: definition.actions.map(
      ({ organizationId: _organizationId, position: _position, ...action }) => action,
    ),
    ...(archivedAt !== null && { archivedAt }),
  }
}
