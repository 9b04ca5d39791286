import type { PreparedQueryable } from '../../db/queryable.js'
import type { ScimGroupRow } from '../../store/scim/group.js'
import { scimGroupRows } from '../../store/scim/group-list.js'
import { countSelection, readSlice, type ScimRows, type ScimSelection, type Slice } from '../../store/scim/list.js'
import { type CountedMembers, countedMembers, placeMember } from '../../store/scim/member-count.js'
import { type ScimUserRow, scimUserRowFrom } from '../../store/scim/user.js'
import { scimUserRows } from '../../store/scim/user-list.js'

/** The part of a list that is wanted; `startIndex` is at least 1, and a count of 0 asks for the total alone. */
export interface ListRange {
  readonly startIndex: number
  readonly count: number
}

/** A part of a list, and how many resources the whole list has. */
export interface ListPart<Row> {
  readonly total: number
  readonly rows: readonly Row[]
}

/**
 * Lists the members that a directory sees. In the order of creation, a part of all of them, of those who are active or
 * of those who are deactivated is read at the same cost wherever it is and however long the list; otherwise at the cost
 * of what the filter finds.
 */
export async function listDirectoryUsers(
  tables: PreparedQueryable,
  selection: ScimSelection,
  range: ListRange,
): Promise<ListPart<ScimUserRow>> {
  const counted = countedMembers(selection.filter)
  const { total, rows } =
    counted === undefined
      ? await filteredList(tables, scimUserRows, selection, range)
      : await countedList(tables, selection, range, counted)
  return { total, rows: rows.map(scimUserRowFrom) }
}

async function countedList(
  tables: PreparedQueryable,
  selection: ScimSelection,
  { startIndex, count }: ListRange,
  counted: CountedMembers,
) {
  const place = await placeMember(tables, selection.organizationId, startIndex, counted)
  const { total, from, offset } = place
  if (from === undefined || count === 0) return { total, rows: [] }
  const slice = selection.order === undefined ? { from, offset, count } : { from: 0n, offset: startIndex - 1, count }
  return listPart(startIndex, await readSlice(tables, scimUserRows, selection, slice), total)
}

/** Lists the groups of an organization, with their members if they are wanted. */
export function listDirectoryGroups(
  tables: PreparedQueryable,
  selection: ScimSelection,
  range: ListRange & { readonly withMembers: boolean },
): Promise<ListPart<ScimGroupRow>> {
  return filteredList(tables, scimGroupRows[range.withMembers ? 'whole' : 'withoutMembers'], selection, range)
}

/** Lists resources that satisfy a filter. Counts them only if the part does not already tell how many there are. */
async function filteredList<Row>(
  tables: PreparedQueryable,
  table: ScimRows<Row>,
  selection: ScimSelection,
  { startIndex, count }: ListRange,
): Promise<ListPart<Row>> {
  const slice = { from: 0n, offset: startIndex - 1, count }
  const part = count === 0 ? { rows: [], found: 0 } : await readSlice(tables, table, selection, slice)
  const isEnd = part.found < count && (part.found > 0 || startIndex === 1)
  return listPart(startIndex, part, isEnd ? 0 : await countSelection(tables, table, selection))
}

/** A part with the total counted beside it. Others may write between the two reads: what was read is counted at least. */
function listPart<Row>(startIndex: number, { rows, found }: Slice<Row>, counted: number): ListPart<Row> {
  return { total: found === 0 ? counted : Math.max(counted, startIndex - 1 + found), rows }
}
