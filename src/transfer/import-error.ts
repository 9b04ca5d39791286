import { fieldNames } from '../domain/profile/profile-value.js'
import type { ErrorReason, FieldViolation, ServiceError } from '../errors.js'
import type { Fault } from '../store/transfer/checks.js'
import type { RecordKind } from '../store/transfer/kind.js'

/** Why a record is refused; the field begins with the kind. */
export interface Refusal extends Fault {
  readonly kind: RecordKind
  /** Default `FIELD_INVALID`. */
  readonly reason?: ErrorReason
  /** Whether force imports it anyway. Default false. */
  readonly isForceable?: boolean
}

/** The fields to which errors that name none apply. */
const fieldsOfReasons: Partial<Record<ErrorReason, string>> = {
  OWN_ROLE: 'role',
  OWN_DEACTIVATION: 'deactivatedAt',
  USER_MANAGED_BY_DIRECTORY: 'deactivatedAt',
  EMAIL_MANAGED_BY_DIRECTORY: 'email',
  EMAIL_SHARED_BETWEEN_ORGANIZATIONS: 'email',
  EMAIL_TAKEN: 'email',
  PHONE_TAKEN: fieldNames.PRIMARY_PHONE,
  MANAGER_IS_SELF: fieldNames.MANAGER,
  MANAGER_CYCLE: fieldNames.MANAGER,
}

/** The faults of a user's record in an error; `field` is used if the error names none. */
export function faultsIn({ violations, message: description, reason }: ServiceError, field: string) {
  const fault: FieldViolation = { field: fieldsOfReasons[reason] ?? field, description, reason }
  return violations.length > 0 ? violations : [fault]
}

export function refusalText({ field, fault }: Refusal): string {
  return `${field}: ${fault}`
}

/** Whether force imports all of the refused records anyway. */
export function areForceable(refusals: readonly Refusal[]): boolean {
  return refusals.every(({ isForceable }) => isForceable)
}

/** A file that cannot be imported. `line` counts from 1; it is absent if no single line is to blame. */
export class ImportError extends Error {
  override readonly name = 'ImportError'
  readonly line: number | undefined
  readonly fault: string

  constructor(line: number | undefined, fault: string, cause?: unknown) {
    super(line === undefined ? fault : `line ${line}: ${fault}`, { cause })
    this.line = line
    this.fault = fault
  }
}

const MAX_NAMED_LINES = 20

/** The error of a file with refused records, of which it names the first ones. */
export function refusedError(refusals: readonly Refusal[]): ImportError {
  const [first, ...others] = refusals
  if (first?.isForceable !== true && others.length === 0 && first !== undefined) {
    return new ImportError(first.line, refusalText(first))
  }
  const named = refusals.slice(0, MAX_NAMED_LINES).map((each) => `line ${each.line}: ${refusalText(each)}`)
  const rest = refusals.length - named.length
  const more = rest === 0 ? [] : [`and ${rest} more`]
  const hint = areForceable(refusals) ? '; use --force to import everything' : ''
  return new ImportError(undefined, [...named, ...more, `Nothing was imported${hint}.`].join('\n'))
}
