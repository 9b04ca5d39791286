import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { TeamSchema } from '../../gen/svc/v2/team_pb.js'
import { countLiveKeys } from './api-key.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'
import { ofOrganization } from './visibility.js'

const memberCount = Prisma.sql`(SELECT count(*) FROM team_members x
    WHERE ${ofOrganization('x')} AND x.team_id = t.id AND (x.expires_at IS NULL OR x.expires_at > now()))`
const teamResource = declareResource(TeamSchema, schema.Team, 't', {
  memberCount: { kind: 'computed', isUnwritten: true, sql: memberCount },
})

const standard = createStandardStore(teamResource, { ownerColumn: null, searched: 'name' })

/** The teams of an organization. Their API keys are deleted with them, but keep them while they can be used. */
export const teamStore: typeof standard = {
  ...standard,
  referrers: async (tables, team, now) => {
    const others = await standard.referrers(tables, team, now)
    const liveKeys = await countLiveKeys(tables, { organizationId: team.organizationId, teamId: team.id }, now)
    return liveKeys === 0 ? others : [...others, { name: 'apiKeys', words: 'API keys (revoking them suffices)' }]
  },
}
