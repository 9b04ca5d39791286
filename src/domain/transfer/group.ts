import { nameLimits } from '../text-field.js'
import { idOf, requireDistinct, textOf } from './field-values.js'
import { lockStatement, memberCheck, organizationCheck, sameColumns, upsertStatement } from './statements.js'
import type { TransferResource } from './transfer-resource.js'

/** A line of the kind `group`. */
export interface GroupRecord {
  readonly id: string
  readonly organizationId: string
  readonly name: string
  readonly userIds: readonly string[]
}

const place = { table: 'groups', staged: 'staged_group', key: { id: 's.id' } }
const members = 'CROSS JOIN LATERAL unnest(s.user_ids) WITH ORDINALITY AS member(user_id, place)'

/** Groups of people in files. */
export const groupTransfer: TransferResource<GroupRecord> = {
  staged: place.staged,
  rowOf: (record) => {
    for (const [index, userId] of record.userIds.entries()) idOf(`userIds[${index}]`, userId)
    requireDistinct(record.userIds, (index) => `userIds[${index}]`)
    return {
      key: idOf('id', record.id),
      values: {
        id: record.id,
        owner_id: idOf('organizationId', record.organizationId),
        name: textOf('name', record.name, nameLimits),
        user_ids: record.userIds,
      },
    }
  },
  columns: { id: 'text', owner_id: 'text', name: 'text', user_ids: 'text[]' },
  owner: {
    table: 'organizations',
    column: 'owner_id',
    field: 'organizationId',
    gives: { organization_id: 'owner.id' },
  },
  checks: [
    organizationCheck(place.table, place.staged),
    memberCheck({
      staged: place.staged,
      column: 'member.user_id',
      field: `format('userIds[%s]', member.place - 1)`,
      from: members,
    }),
  ],
  lock: lockStatement(place),
  upsert: upsertStatement({ ...place, values: sameColumns('organization_id', 'name') }),
  children: [
    `DELETE FROM group_members m USING ${place.staged} s WHERE m.group_id = s.id`,
    `INSERT INTO group_members (organization_id, group_id, user_id, position)
     SELECT s.organization_id, s.id, member.user_id, member.place - 1 FROM ${place.staged} s ${members}`,
  ],
  finalChecks: [],
  select: `
SELECT json_build_object('id', g.id, 'organizationId', g.organization_id, 'name', g.name, 'userIds', (
  SELECT coalesce(json_agg(m.user_id ORDER BY m.position), '[]') FROM group_members m WHERE m.group_id = g.id
)) AS record
FROM groups g ORDER BY g.ordinal`,
}
