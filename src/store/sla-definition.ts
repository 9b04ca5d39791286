import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { SlaActionSchema, SlaConditionSchema, SlaDefinitionSchema } from '../../gen/svc/v2/sla_definition_pb.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'

const inDefinition = { parent: 'sla_definition_id', order: ['position', 'id'] }

export const slaDefinitionResource = declareResource(SlaDefinitionSchema, schema.SlaDefinition, 'd', {
  conditions: {
    kind: 'parts',
    resource: declareResource(SlaConditionSchema, schema.SlaCondition, 'c'),
    ...inDefinition,
  },
  actionDefinitions: {
    kind: 'parts',
    resource: declareResource(SlaActionSchema, schema.SlaAction, 'a'),
    ...inDefinition,
  },
})

export const slaDefinitionStore = createStandardStore(slaDefinitionResource, {
  searched: 'name',
  orderOfOwner: Prisma.sql`d.ordinal`,
})
