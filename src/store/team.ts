import { Prisma } from '../../gen/prisma/client.js'
import { schema } from '../../gen/prisma/schema.js'
import { TeamSchema } from '../../gen/svc/v2/team_pb.js'
import { createStatement } from '../db/statement.js'
import { firstRow } from '../db/tables.js'
import { declareResource } from './resource/resource.js'
import { createStandardStore } from './standard-methods.js'
import { ofOrganization } from './visibility.js'

const standard = createStandardStore(declareResource(TeamSchema, schema.Team, 't'), { ownerColumn: null })

const countLiveKeys = createStatement<
  { readonly organizationId: string; readonly teamId: string },
  { readonly liveKeys: number }
>({
  name: 'count_live_keys_of_team',
  columns: { liveKeys: 'int4' },
  text: ({ teamId }) => Prisma.sql`
SELECT count(*)::int AS "liveKeys" FROM api_keys k
 WHERE ${ofOrganization('k')} AND k.team_id = ${teamId}
   AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`,
})

/** The teams of an organization. Their API keys are deleted with them, but keep them while they can be used. */
export const teamStore: typeof standard = {
  ...standard,
  referrers: async (tables, { organizationId, id: teamId }) => {
    const counted = await firstRow(tables, countLiveKeys, { organizationId, teamId })
    const others = await standard.referrers(tables, { organizationId, id: teamId })
    return counted?.liveKeys === 0
      ? others
      : [...others, { name: 'apiKeys', words: 'API keys (revoking them suffices)' }]
  },
}
