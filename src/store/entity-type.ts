import { schema } from '../../gen/prisma/schema.js'
import { EntityTypeSchema } from '../../gen/svc/v2/entity_type_pb.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'

export const entityTypeStore = createStandardStore(declareResource(EntityTypeSchema, schema.EntityType, 'e'), {
  searched: 'name',
})
