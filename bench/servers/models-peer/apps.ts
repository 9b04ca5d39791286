import type { FastifyInstance } from 'fastify'
import type { PrismaClient } from '../../../gen/prisma/client.js'
import { type BatchBody, batchBody, distinctIds } from '../peer-app.js'
import { auditEvent } from './audit.js'
import { callerOf, notFound, requireIn, requireTeam } from './caller.js'

const MAX_PAGE_SIZE = 10_000

const instanceFields = {
  id: true,
  customServiceId: true,
  teamId: true,
  externalServiceInstanceId: true,
  name: true,
  accessRequestsEnabled: true,
  defaultAccessPolicyId: true,
  customServiceName: true,
  tagIds: true,
  integrationIds: true,
  a2aAgentCard: true,
  routeDirectFromWorker: true,
} as const

const resourceFields = {
  id: true,
  appInstanceId: true,
  resourceType: true,
  name: true,
  description: true,
  externalId: true,
  tagIds: true,
  scopedId: true,
} as const

const listQuery = {
  type: 'object',
  additionalProperties: false,
  required: ['teamId'],
  properties: {
    teamId: { type: 'string', minLength: 1 },
    pageSize: { type: 'integer', minimum: 0, default: 0 },
    pageToken: { type: 'string', pattern: '^[0-9]*$', default: '' },
  },
} as const

interface ListQuery {
  readonly teamId: string
  readonly pageSize: number
  readonly pageToken: string
}

/** Adds `GET /v2/app-instances` and `PUT /v2/app-resources/batch`. */
export function addAppRoutes(app: FastifyInstance, prisma: PrismaClient): void {
  app.get<{ Querystring: ListQuery }>('/v2/app-instances', { schema: { querystring: listQuery } }, async (request) => {
    const caller = await callerOf(prisma, request)
    const { teamId, pageSize, pageToken } = request.query
    await requireTeam(prisma, caller, teamId, 'apps:read')
    const size = pageSize === 0 ? MAX_PAGE_SIZE : Math.min(pageSize, MAX_PAGE_SIZE)
    const found = await prisma.appInstance.findMany({
      where: {
        organizationId: caller.organizationId,
        ordinal: { gt: BigInt(pageToken) },
        OR: [{ teamId }, { shares: { some: { teamId } } }],
      },
      orderBy: { ordinal: 'asc' },
      take: size + 1,
      select: { ...instanceFields, ordinal: true },
    })
    const page = found.slice(0, size)
    return {
      data: page.map(({ ordinal: _ordinal, defaultAccessPolicyId, a2aAgentCard, ...instance }) => ({
        ...instance,
        defaultAccessPolicyId: defaultAccessPolicyId ?? '',
        ...(a2aAgentCard !== null && { a2aAgentCard }),
      })),
      nextPageToken: found.length > size ? String(page.at(-1)?.ordinal) : '',
    }
  })

  app.put<{ Body: BatchBody }>('/v2/app-resources/batch', { schema: { body: batchBody } }, async (request) => {
    const caller = await callerOf(prisma, request)
    const { organizationId } = caller
    const ids = distinctIds(request.body)
    const updated = await prisma.$transaction(async (tx) => {
      const where = { organizationId, id: { in: ids } }
      const teams = await tx.appResource.findMany({ where, select: { id: true, teamId: true } })
      const teamOf = new Map(teams.map(({ id, teamId }) => [id, teamId]))
      const changes = request.body.resources.map(({ id, ...values }) => {
        const teamId = teamOf.get(id)
        if (teamId === undefined) throw notFound(`app resource ${id}`)
        requireIn(caller, teamId, 'apps:write', `app resource ${id}`)
        return { id, teamId, values }
      })
      const rows = new Map<string, unknown>()
      // In the order of ids, so that batches that share resources wait for each other instead of deadlocking.
      for (const { id, values } of changes.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
        const { externalId, ...resource } = await tx.appResource.update({
          where: { organizationId_id: { organizationId, id } },
          data: { ...values, ...(values.externalId === '' && { externalId: null }) },
          select: resourceFields,
        })
        rows.set(id, { ...resource, externalId: externalId ?? '' })
      }
      await tx.auditEvent.createMany({
        data: changes.map(({ id, teamId }) =>
          auditEvent(caller, request.id, {
            action: 'app_resource.update',
            targetType: 'app_resource',
            targetId: id,
            teamId,
          }),
        ),
      })
      return rows
    })
    return { data: ids.map((id) => updated.get(id)) }
  })
}
