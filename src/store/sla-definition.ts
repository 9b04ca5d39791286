import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { SlaActionSchema, SlaConditionSchema, SlaDefinitionSchema } from '../../gen/svc/v2/sla_definition_pb.js'
import { createOwnedList } from './list.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'

const inDefinition = { parent: 'sla_definition_id', order: ['position', 'id'] }

/** SLA definitions with their conditions and actions. */
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

/** The definitions of a team in the order of their creation. */
export const readSlaDefinitionsOfTeam = createOwnedList({
  name: 'list_sla_definitions_of_team',
  resource: slaDefinitionResource,
  parent: 'team_id',
  order: Prisma.sql`d.ordinal`,
})

/** The standard methods; `readSlaDefinitionsOfTeam` is the list without pages. */
export const slaDefinitionStore = createStandardStore(slaDefinitionResource, { searched: 'name' })
