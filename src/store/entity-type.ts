import { schema } from '../../gen/prisma/schema.js'
import { EntityTypeSchema } from '../../gen/svc/v2/entity_type_pb.js'
import { declareResource } from './resource/resource.js'
import { createListedStore } from './standard-methods.js'

const some = { take: 1, select: { id: true } } as const

/** The types of the entities that teams ingest. */
export const entityTypeStore = createListedStore(
  declareResource(EntityTypeSchema, schema.EntityType, 'e'),
  ['teamId'],
  {
    create: ({ models }, key, values: { readonly teamId: string; readonly name: string }) =>
      models.entityType.create({ data: { ...key, ...values }, select: { id: true } }),
    update: ({ models }, key, data: { readonly name?: string }) =>
      models.entityType.update({ where: { organizationId_id: key }, data, select: { id: true } }),
    delete: ({ models }, key) => models.entityType.delete({ where: { organizationId_id: key }, select: { id: true } }),
    referrers: ({ models }, key) =>
      models.entityType.findUnique({
        where: { organizationId_id: key },
        select: { ingestionConfigs: some, fieldMappings: some },
      }),
  },
)

/** The statements of this file. */
export const entityTypeStatements = entityTypeStore.statements
