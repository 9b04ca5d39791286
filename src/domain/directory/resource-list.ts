import type { Tables } from '../../db/tables.js'
import type { ScimGroupRow } from '../../store/scim/group.js'
import { scimGroupRows } from '../../store/scim/group-list.js'
import { countSelection, readSlice, type ScimRows, type ScimSelection } from '../../store/scim/list.js'
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

/** Lists the members that a directory sees. */
export async function listDirectoryUsers(
  tables: Tables,
  selection: ScimSelection,
  range: ListRange,
): Promise<ListPart<ScimUserRow>> {
  const { total, rows } = await listPart(tables, scimUserRows, selection, range)
  return { total, rows: rows.map(scimUserRowFrom) }
}

/** Lists the groups of an organization, with their members if they are wanted. */
export function listDirectoryGroups(
  tables: Tables,
  selection: ScimSelection,
  range: ListRange & { readonly withMembers: boolean },
): Promise<ListPart<ScimGroupRow>> {
  return listPart(tables, scimGroupRows[range.withMembers ? 'whole' : 'withoutMembers'], selection, range)
}

/** Reads a part of a list. Counts the list only if the part does not already tell how many there are. */
async function listPart<Row>(
  tables: Tables,
  table: ScimRows<Row>,
  selection: ScimSelection,
  { startIndex, count }: ListRange,
): Promise<ListPart<Row>> {
  const before = startIndex - 1
  const { rows, found } =
    count === 0 ? { rows: [], found: 0 } : await readSlice(tables, table, selection, { offset: before, count })
  const isEnd = found < count && (found > 0 || before === 0)
  const counted = isEnd ? 0 : await countSelection(tables, table, selection)
  // Others may write between the two reads: what was read is counted at least.
  return { rows, total: found === 0 ? counted : Math.max(counted, before + found) }
}
