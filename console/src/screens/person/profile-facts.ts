import type { AuditEvent, FieldChange } from '../../../../gen/svc/v2/audit_log_pb.js'
import { FieldWriteOutcome } from '../../../../gen/svc/v2/audit_log_pb.js'
import { FieldOwner, type User, UserProfileField, UserProfileFieldSchema } from '../../../../gen/svc/v2/user_pb.js'
import { camelCase, enumText } from '../../api/words.js'

/** What is known about one governed field of a person. */
export interface ProfileFact {
  readonly field: UserProfileField
  readonly label: string
  /** The member of `User` that holds the value. */
  readonly property: keyof User
  readonly value: string
  /** Unspecified for a field that nobody owns. */
  readonly owner: FieldOwner
  readonly since: string | undefined
  /** The last event that set the field or its owner. */
  readonly written: AuditEvent | undefined
  /** The last event that would have, after that one. */
  readonly skipped: { readonly event: AuditEvent; readonly change: FieldChange } | undefined
}

const { SKIPPED_PINNED, SKIPPED_DIRECTORY_LOCKED, WRITTEN, PINNED, RELEASED } = FieldWriteOutcome
const skips: readonly FieldWriteOutcome[] = [SKIPPED_PINNED, SKIPPED_DIRECTORY_LOCKED]
const writes: readonly FieldWriteOutcome[] = [WRITTEN, PINNED, RELEASED]

/** The facts about each governed field, from a person and from what the audit log says of them, newest first. */
export function profileFacts(user: User, events: readonly AuditEvent[]): ProfileFact[] {
  return governedFields.map(({ field, property }) => {
    const value = user[property]
    const ownership = user.fieldOwnership.find((each) => each.field === field)
    const written = findChange(events, field, writes)
    const skipped = findChange(events, field, skips)
    const isLater = skipped && (!written || events.indexOf(skipped.event) < events.indexOf(written.event))
    return {
      field,
      label: enumText(UserProfileFieldSchema, field),
      property,
      value: typeof value === 'string' ? value : '',
      owner: ownership?.owner ?? FieldOwner.UNSPECIFIED,
      since: ownership?.since,
      written: written?.event,
      skipped: isLater ? skipped : undefined,
    }
  })
}

/** Why a write was skipped, and what would let it through. */
export function skipReason({ outcome }: FieldChange): string {
  return outcome === SKIPPED_PINNED
    ? 'a person has pinned the field, which automation cannot change; release it to hand it back'
    : 'the directory supplies the field, so only the directory can change it'
}

/** Each governed field with the member of `User` that has its value: `FIRST_NAME` is `firstName`. */
export const governedFields = UserProfileFieldSchema.values
  .filter(({ number }) => number !== UserProfileField.UNSPECIFIED)
  .map(({ number: field, localName }) => ({
    field: field as UserProfileField,
    property: (field === UserProfileField.MANAGER ? 'managerUserId' : camelCase(localName.toLowerCase())) as keyof User,
  }))

function findChange(events: readonly AuditEvent[], field: UserProfileField, outcomes: typeof skips) {
  const isFound = (change: FieldChange) => change.field === field && outcomes.includes(change.outcome)
  return events.flatMap((event) => event.changes.filter(isFound).map((change) => ({ event, change })))[0]
}
