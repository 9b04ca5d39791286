import type { FastifyInstance } from 'fastify'
import type { PrismaClient } from '../../../gen/prisma/client.js'
import { callerOf, notFound, requireIn, requireTeam } from './caller.js'

const configQuery = {
  type: 'object',
  additionalProperties: false,
  required: ['teamId'],
  properties: { teamId: { type: 'string', minLength: 1 }, appInstanceId: { type: 'string' } },
} as const

interface ConfigQuery {
  readonly teamId: string
  readonly appInstanceId?: string
}

const mappingQuery = {
  type: 'object',
  additionalProperties: false,
  required: ['entityTypeId'],
  properties: { entityTypeId: { type: 'string', minLength: 1 }, ingestionConfigId: { type: 'string' } },
} as const

interface MappingQuery {
  readonly entityTypeId: string
  readonly ingestionConfigId?: string
}

const configFields = {
  id: true,
  appInstanceId: true,
  workflowId: true,
  teamId: true,
  serviceName: true,
  workflowName: true,
  internalEntityTypeId: true,
  enabled: true,
  isWorkflowPublished: true,
  hasIngestionContext: true,
  syncDeletions: true,
  createdAt: true,
  updatedAt: true,
  syncIntervalSeconds: true,
} as const

const mappingFields = {
  id: true,
  ingestionConfigId: true,
  internalFieldId: true,
  externalFieldPath: true,
  priority: true,
  createdAt: true,
  updatedAt: true,
  entityTypeId: true,
} as const

/** Adds `GET /v2/entity-ingestion-configs` and `GET /v2/entity-field-mappings`. */
export function addEntityRoutes(app: FastifyInstance, prisma: PrismaClient): void {
  app.get<{ Querystring: ConfigQuery }>(
    '/v2/entity-ingestion-configs',
    { schema: { querystring: configQuery } },
    async (request) => {
      const caller = await callerOf(prisma, request)
      const { teamId, appInstanceId } = request.query
      await requireTeam(prisma, caller, teamId, 'entities:read')
      const data = await prisma.entityIngestionConfig.findMany({
        where: { organizationId: caller.organizationId, teamId, ...(appInstanceId && { appInstanceId }) },
        orderBy: { ordinal: 'asc' },
        select: configFields,
      })
      return { data }
    },
  )

  app.get<{ Querystring: MappingQuery }>(
    '/v2/entity-field-mappings',
    { schema: { querystring: mappingQuery } },
    async (request) => {
      const caller = await callerOf(prisma, request)
      const { organizationId } = caller
      const { entityTypeId, ingestionConfigId } = request.query
      const where = { organizationId_id: { organizationId, id: entityTypeId } }
      const type = await prisma.entityType.findUnique({ where, select: { teamId: true } })
      if (type === null) throw notFound(`entity type ${entityTypeId}`)
      requireIn(caller, type.teamId, 'entities:read', `entity type ${entityTypeId}`)
      const data = await prisma.entityFieldMapping.findMany({
        where: { organizationId, entityTypeId, ...(ingestionConfigId && { ingestionConfigId }) },
        orderBy: [{ priority: 'desc' }, { id: 'asc' }],
        select: mappingFields,
      })
      return { data }
    },
  )
}
