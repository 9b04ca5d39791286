import { schema } from '../../gen/prisma/schema.js'
import { TeamSchema } from '../../gen/svc/v2/team_pb.js'
import { countLiveKeys } from './api-key.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'

const standard = createStandardStore(declareResource(TeamSchema, schema.Team, 't'), { ownerColumn: null })

/** The teams of an organization. Their API keys are deleted with them, but keep them while they can be used. */
export const teamStore: typeof standard = {
  ...standard,
  referrers: async (tables, team, now) => {
    const others = await standard.referrers(tables, team, now)
    const liveKeys = await countLiveKeys(tables, { organizationId: team.organizationId, teamId: team.id }, now)
    return liveKeys === 0 ? others : [...others, { name: 'apiKeys', words: 'API keys (revoking them suffices)' }]
  },
}
