import type { ImportRecord } from '../../gen/svc/v2/import_record_pb.js'
import type { Tables } from '../db/tables.js'
import { recordCallEvents } from '../domain/audit/audit-event.js'
import type { CallContext } from '../domain/caller/caller.js'
import type { FieldChange } from '../domain/profile/field-ownership.js'
import { lockImportedUsers } from '../domain/user/user-import.js'
import { type FieldViolation, invalidField, refuseViolations, ServiceError } from '../errors.js'
import { mapInSlices } from '../runtime/slices.js'
import { importLock, takeLocks } from '../store/lock.js'
import { namesOnlyOwner } from '../store/transfer/kinds.js'
import { type CallerUsers, callerUsers, importedUserOf, type UsersByLine } from './caller-users.js'
import { ImportError, type Refusal } from './import-error.js'
import { type PlannedRecord, planOf, rolledBack, type WrittenRecords, writeRecords } from './import-records.js'
import { findExcess, findForeignUsers } from './import-rights.js'
import type { RecordReader, TransferLine } from './record-reader.js'
import { type RecordLine, stagedLine } from './stage-lines.js'

/**
 * Imports records into the caller's organization, within the caller's rights, and returns what becomes of each; as a
 * plan, what would. Throws a ServiceError that names the refused records if there are any; then nothing is written.
 */
export async function importForCaller(
  context: CallContext,
  records: readonly ImportRecord[],
  { recordReader, isPlan }: { readonly recordReader: RecordReader; readonly isPlan: boolean },
): Promise<readonly ImportedRecord[]> {
  const { tables, caller, runtime } = context
  const { organizationId } = caller
  const { read, refusals } = await readRecords(context, records, recordReader)
  let users: CallerUsers | undefined
  const work = async (transaction: Tables): Promise<WrittenRecords> => {
    // Waits for imports of operators and into the same organization, but not into others.
    await takeLocks(transaction, [
      { ...importLock, isShared: true },
      { ...importLock, organizationId },
    ])
    const { foreign, memberIds } = await findForeignUsers(transaction, organizationId, read)
    const foreignLines = new Set(foreign.map(({ line }) => line))
    const lines = read.filter(({ staged }) => !foreignLines.has(staged.line))
    const byLine = await usersOf(lines)
    const locked = await lockImportedUsers(transaction, context, [...byLine.values()], memberIds)
    users = callerUsers(context, byLine, locked)
    const result = await writeRecords(transaction, lines, {
      runtime,
      isWhole: true,
      hasRecords: true,
      users,
      locks: [],
    })
    const excess: Refusal[] = []
    const now = runtime.now()
    for (const [kind, ofKind] of result.outcomes) {
      excess.push(...(await findExcess(transaction, { caller, now }, kind, ofKind)))
    }
    return { ...result, refusals: [...refusals, ...foreign, ...result.refusals, ...excess] }
  }
  const importAll = async (transaction: Tables): Promise<WrittenRecords> => {
    const result = await work(transaction)
    refuseViolations(result.refusals.toSorted((one, other) => one.line - other.line).map(violationFrom))
    const kinds = result.kinds.filter(({ created, updated }) => created + updated > 0).map(({ kind }) => kind)
    const event = { action: 'organization.import', targetId: organizationId, changedFields: kinds } as const
    if (kinds.length > 0) await recordCallEvents(context, transaction, [event])
    await requireOwnNewcomers(transaction, organizationId, read, result)
    return result
  }
  try {
    const plan = planOf(isPlan ? await rolledBack(tables, work, LONG) : await tables.transaction(importAll, LONG))
    return plan.records.map((record) => ({ ...record, changes: users?.changesOf(record.line) ?? [] }))
  } catch (error) {
    // After a lost race, the cause is the error for the caller.
    throw error instanceof ImportError ? (error.cause ?? error) : error
  }
}

/** Refuses the import if another organization has added one of the new people in the meantime. */
async function requireOwnNewcomers(
  transaction: Tables,
  organizationId: string,
  read: readonly RecordLine[],
  { outcomes }: WrittenRecords,
): Promise<void> {
  const lines = new Set(outcomes.get('user')?.flatMap(({ isNew, line }) => (isNew ? line : [])))
  if (lines.size === 0) return
  await takeLocks(transaction, [{ kind: 'newcomers', organizationId: '' }])
  const newcomers = read.filter(({ staged }) => lines.has(staged.line))
  const { foreign } = await findForeignUsers(transaction, organizationId, newcomers, true)
  refuseViolations(foreign.map(violationFrom))
}

/** The outcome of a record, and of the governed fields of a user. */
export interface ImportedRecord extends PlannedRecord {
  readonly changes: readonly FieldChange[]
}

async function usersOf(lines: readonly RecordLine[]): Promise<UsersByLine> {
  const users = await mapInSlices(lines, ({ staged: { line }, record: { resource } }) => {
    return resource.case === 'user' ? [[line, importedUserOf(resource.value)] as const] : []
  })
  return new Map(users.flat())
}

const LONG = { isLong: true }

/** Reads the records like those of a file, and says why some are refused. */
async function readRecords(
  { caller: { organizationId }, runtime }: CallContext,
  records: readonly ImportRecord[],
  recordReader: RecordReader,
): Promise<{ readonly read: readonly RecordLine[]; readonly refusals: readonly Refusal[] }> {
  const read: RecordLine[] = []
  const refusals: Refusal[] = []
  const lines = new Map<string, number>()
  const unlessRefused = <Result>(line: number, { resource }: ImportRecord, work: () => Result): Result | undefined => {
    const { case: kind, value } = resource
    if (kind === undefined) throw invalidField(`records[${line - 1}]`, 'must have a record, such as a team')
    try {
      return work()
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const [violation = { field: kind, description: error.message, reason: error.reason }] = error.violations
      const { field, description: fault, reason } = violation
      refusals.push({ line, kind, id: value.id, organizationId, field, fault, reason })
      return undefined
    }
  }
  // In two steps with a turn between them: one record can be as large as a request.
  const own = await mapInSlices(records, (message, index) =>
    unlessRefused(index + 1, message, () => {
      const { value } = message.resource
      if (value !== undefined && 'organizationId' in value) value.organizationId ||= organizationId
      const record = recordReader.fromMessage(message)
      requireOwn(record, organizationId)
      return record
    }),
  )
  await mapInSlices(own, (record, index) => {
    const line = index + 1
    if (record === undefined) return
    unlessRefused(line, record, () => {
      const { resource } = record
      const { case: kind } = resource
      const owner = namesOnlyOwner(kind) ? organizationId : ''
      // An empty list of roles counts as absent, so that the roles stay as they are.
      const given = kind === 'user' && { given: resource.value.teamRoles.length > 0 ? ['team_roles'] : [] }
      const staged = { ...stagedLine({ ...record, organizationId: owner }, line, runtime), ...given }
      const key = `${kind} ${resource.value.id}`
      const first = lines.get(key)
      if (first !== undefined) throw invalidField(`${kind}.id`, `repeats the record of line ${first}`, 'DUPLICATE_ID')
      lines.set(key, line)
      read.push({ record, staged })
    })
  })
  return { read, refusals }
}

/** Refuses a record that names an organization other than the caller's. */
function requireOwn({ organizationId, resource: { case: kind, value } }: TransferLine, own: string): void {
  const named = {
    organizationId,
    ...(kind === 'organization' && { 'organization.id': value.id }),
    ...('organizationId' in value && { [`${kind}.organizationId`]: value.organizationId }),
  }
  for (const [field, id] of Object.entries(named)) {
    if (id !== '' && id !== own) throw invalidField(field, `must be ${own}: other organizations are out of reach`)
  }
}

function violationFrom({ line, field, fault, reason = 'FIELD_INVALID' }: Refusal): FieldViolation {
  return { field: `records[${line - 1}].${field}`, description: `${fault} (line ${line})`, reason }
}
