import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { SlaActionSchema, SlaConditionSchema, SlaDefinitionSchema } from '../../gen/svc/v2/sla_definition_pb.js'
import type { Tables } from '../db/tables.js'
import { declareResource } from './resource/resource.js'
import { inTeams, type Scope } from './scope.js'
import { ofOrganization } from './tenant.js'
import { createWholeList, readWholeList, type WholeListRow, wholeListColumns, wholeListText } from './whole-list.js'

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

interface DefinitionsOfTeam extends Scope {
  readonly teamId: string
}

const list = createWholeList<DefinitionsOfTeam, WholeListRow>({
  name: 'list_sla_definitions',
  columns: wholeListColumns,
  text: ({ teamId, teamIds }, limit) => Prisma.sql`
SELECT list.*
  FROM teams t
 CROSS JOIN LATERAL (
    SELECT ${wholeListText(slaDefinitionResource, Prisma.sql`d.ordinal`)}
      FROM (
        SELECT * FROM sla_definitions d
         WHERE ${ofOrganization('d')} AND d.team_id = t.id
         ORDER BY d.ordinal ${limit}
      ) d
  ) list
 WHERE ${ofOrganization('t')} AND t.id = ${teamId} AND ${inTeams(Prisma.sql`t.id`, teamIds)}`,
})

/** The statements of this file. */
export const slaDefinitionStatements = [...Object.values(list)]

/** The definitions of a team in the order of their creation; no row if the team is not in the scope. */
export function listSlaDefinitionsOfTeam(tables: Tables, team: DefinitionsOfTeam) {
  return readWholeList(tables, list, team)
}
