import { schema } from '../../gen/prisma/schema.js'
import { TeamSchema } from '../../gen/svc/v2/team_pb.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore, type StandardStore } from './standard-methods.js'

const standard = createStandardStore(declareResource(TeamSchema, schema.Team, 't'), { ownerColumn: null })

/** The teams of an organization. Their API keys are deleted with them, but keep them while they are not revoked. */
export const teamStore: StandardStore = {
  ...standard,
  referrers: async (tables, { organizationId, id: teamId }) => {
    const liveKeys = await tables.models.apiKey.count({ where: { organizationId, teamId, revokedAt: null } })
    const others = await standard.referrers(tables, { organizationId, id: teamId })
    return liveKeys > 0 ? [...others, { name: 'apiKeys' }] : others
  },
}
