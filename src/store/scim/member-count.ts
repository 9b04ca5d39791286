import { Prisma } from '../../../gen/prisma/client.js'
import type { PreparedQueryable, Queryable } from '../../db/queryable.js'
import { createStatement } from '../../db/statement.js'
import type { Filter } from './filter.js'
import { activeAttribute } from './user-attributes.js'

/** The ordinals of a bucket have all but this many bits in common. A trigger counts by the same number. */
const BUCKET_BITS = 9

interface Position {
  readonly organizationId: string
  /** The first is 1. */
  readonly position: number
}

interface PlaceRow {
  readonly total: bigint
  readonly bucket: bigint | null
  readonly before: bigint | null
}

/** The members that are counted: all that a directory sees, or those who are active, or deactivated. */
export type CountedMembers = 'all' | 'active' | 'deactivated'

const counts: Readonly<Record<CountedMembers, Prisma.Sql>> = {
  all: Prisma.sql`c.members`,
  active: Prisma.sql`c.members - c.deactivated`,
  deactivated: Prisma.sql`c.deactivated`,
}

const placeIn = (counted: CountedMembers, name: string) =>
  createStatement<Position, PlaceRow>({
    name,
    columns: { total: 'int8', bucket: 'int8', before: 'int8' },
    text: ({ organizationId, position }) => Prisma.sql`
SELECT coalesce(sum(b.members), 0)::bigint AS total,
       max(b.bucket) FILTER (WHERE b.upto - b.members < ${position} AND b.upto >= ${position}) AS bucket,
       (max(b.upto - b.members) FILTER (WHERE b.upto - b.members < ${position} AND b.upto >= ${position}))::bigint AS before
  FROM (
    SELECT c.bucket, sum(${counts[counted]}) AS members, sum(sum(${counts[counted]})) OVER (ORDER BY c.bucket) AS upto
      FROM member_counts c WHERE c.organization_id = ${organizationId} GROUP BY c.bucket
  ) b`,
  })

const place: Readonly<Record<CountedMembers, ReturnType<typeof placeIn>>> = {
  all: placeIn('all', 'place_member'),
  active: placeIn('active', 'place_active_member'),
  deactivated: placeIn('deactivated', 'place_deactivated_member'),
}

interface Folding {
  readonly organizationId: string
  readonly rows: number
}

const fold = createStatement<Folding, { readonly folded: number }>({
  name: 'fold_member_counts',
  columns: { folded: 'int4' },
  text: ({ organizationId, rows }) => Prisma.sql`
WITH several AS (
  SELECT c.bucket FROM member_counts c WHERE c.organization_id = ${organizationId} GROUP BY c.bucket HAVING count(*) > 1
), due AS (
  SELECT c.bucket, c.id, c.members, c.deactivated FROM member_counts c
   WHERE c.organization_id = ${organizationId} AND c.bucket IN (SELECT bucket FROM several)
   LIMIT ${rows} FOR UPDATE SKIP LOCKED
), sums AS (
  SELECT due.bucket, (array_agg(due.id))[1] AS id, sum(due.members)::bigint AS members,
         sum(due.deactivated)::bigint AS deactivated
    FROM due GROUP BY due.bucket
), kept AS (
  UPDATE member_counts c SET members = sums.members, deactivated = sums.deactivated FROM sums
   WHERE c.organization_id = ${organizationId} AND c.bucket = sums.bucket AND c.id = sums.id
), gone AS (
  DELETE FROM member_counts c USING due
   WHERE c.organization_id = ${organizationId} AND c.bucket = due.bucket AND c.id = due.id
     AND due.id NOT IN (SELECT id FROM sums)
  RETURNING 1
)
SELECT count(*)::int AS folded FROM gone`,
})

/** The statements of this file. */
export const memberCountStatements = [...Object.values(place), fold]

/** The counted members of whom a filter is true; undefined if it tells them apart by anything else. */
export function countedMembers(filter: Filter | undefined): CountedMembers | undefined {
  if (filter === undefined) return 'all'
  if (filter.kind === 'constant' && filter.isTrue) return 'all'
  if (filter.kind === 'not') {
    const others = countedMembers(filter.filter)
    return others === 'active' ? 'deactivated' : others === 'deactivated' ? 'active' : undefined
  }
  if (filter.kind !== 'compare' || filter.attribute !== activeAttribute) return undefined
  return (filter.comparison === 'eq') === filter.value ? 'active' : 'deactivated'
}

/** How many members a directory sees, and where one of them is. */
export interface MemberPlace {
  readonly total: number
  /** No member with a smaller ordinal is at the position or behind; undefined if there are fewer members. */
  readonly from: bigint | undefined
  /** The counted members from this ordinal on that are before the position. */
  readonly offset: number
}

/**
 * Finds the counted member at a position in the order of creation, without reading those before: by how many there are
 * in each bucket of ordinals.
 */
export async function placeMember(
  tables: PreparedQueryable,
  organizationId: string,
  position: number,
  counted: CountedMembers = 'all',
): Promise<MemberPlace> {
  const [row] = await tables.run(place[counted], { organizationId, position })
  const { total = 0n, bucket = null, before = null } = row ?? {}
  if (bucket === null) return { total: Number(total), from: undefined, offset: 0 }
  return { total: Number(total), from: bucket << BigInt(BUCKET_BITS), offset: position - 1 - Number(before) }
}

/** Puts the rows of each bucket together, at most so many at a time. Returns how many it has replaced. */
export async function foldMemberCounts(tables: Pick<Queryable, 'run'>, folding: Folding): Promise<number> {
  const [row] = await tables.run(fold, folding)
  return row?.folded ?? 0
}
