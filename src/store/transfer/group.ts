import { Prisma } from '../../../gen/prisma/client.js'
import { memberCheck, organizationCheck } from './checks.js'
import { idKey, ownedByOrganization, sameColumns, type TransferTable } from './transfer-table.js'

const place = { table: Prisma.sql`groups`, staged: Prisma.sql`staged_group`, key: idKey }
const members = Prisma.sql`CROSS JOIN LATERAL unnest(s.user_ids) WITH ORDINALITY AS member(user_id, place)`

/** Groups of people. */
export const groupTable: TransferTable = {
  ...place,
  columns: { id: 'text', owner_id: 'text', name: 'text', user_ids: 'text[]' },
  owner: ownedByOrganization,
  values: sameColumns('organization_id', 'name'),
  checks: {
    organization: organizationCheck(place),
    user_id: memberCheck({
      staged: place.staged,
      column: Prisma.sql`member.user_id`,
      field: Prisma.sql`format('userIds[%s]', member.place - 1)`,
      from: members,
    }),
  },
  children: [
    Prisma.sql`DELETE FROM group_members m USING ${place.staged} s WHERE m.organization_id = s.organization_id AND m.group_id = s.id`,
    Prisma.sql`INSERT INTO group_members (organization_id, group_id, user_id, position)
     SELECT s.organization_id, s.id, member.user_id, member.place - 1 FROM ${place.staged} s ${members}`,
  ],
  finalChecks: {},
  select: Prisma.sql`
SELECT json_build_object('id', g.id, 'organizationId', g.organization_id, 'name', g.name, 'userIds', (
  SELECT coalesce(json_agg(m.user_id ORDER BY m.position), '[]') FROM group_members m WHERE m.group_id = g.id
)) AS record
FROM groups g ORDER BY g.ordinal`,
}
