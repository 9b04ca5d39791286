import type { OwnedValue } from '../../store/member.js'
import { type OwnedField, ownedPlaces, perOwnedField } from '../../store/owned-column.js'

/** A governed field: a field of a profile that has an owner. */
export type GovernedField = OwnedField

/** The governed fields, in the order of `svc.v2.UserProfileField`. */
export const governedFields: readonly GovernedField[] = ownedPlaces.map(({ field }) => field)

/** The classes of writer that own fields, lowest rank first. */
export const fieldOwners = ['AUTOMATION', 'PINNED', 'DIRECTORY'] as const

/** A class of writer, and so the owner of what it has written. */
export type FieldOwner = (typeof fieldOwners)[number]

export type Profile = Readonly<Record<GovernedField, OwnedValue>>

export type FieldCommand =
  /** Store a value as a writer of that class; as `HOLDER`, the owner of the field stays the same. */
  | { readonly kind: 'set'; readonly field: GovernedField; readonly value: string; readonly as: FieldOwner | 'HOLDER' }
  /** Hand the field back to automation, at a caller's request. */
  | { readonly kind: 'release'; readonly field: GovernedField }
  /** The directory no longer supplies the field. */
  | { readonly kind: 'withdraw'; readonly field: GovernedField }

/** What a write did to a governed field; the values of `svc.v2.FieldWriteOutcome` without their prefix. */
export type FieldWriteOutcome =
  | 'WRITTEN'
  | 'UNCHANGED'
  | 'SKIPPED_PINNED'
  | 'SKIPPED_DIRECTORY_LOCKED'
  | 'RELEASED'
  | 'PINNED'

/** What happened to one field, for the audit log; it contains no value. */
export interface FieldChange {
  readonly field: GovernedField
  readonly outcome: FieldWriteOutcome
  readonly oldOwner: FieldOwner
  readonly newOwner: FieldOwner
}

/** The fields that a write has left alone, each once, in enum order. */
export interface SkippedFields {
  readonly pinned: readonly GovernedField[]
  readonly directoryLocked: readonly GovernedField[]
}

/**
 * Applies the commands one after the other, and returns what the write did to each field that it named, in the order of
 * the commands. Releasing a field that automation owns does nothing and records no change.
 * `guard` is asked about each value to be stored, even if it is the current one: false leaves the field alone.
 */
export function writeProfile(
  profile: Profile,
  commands: Iterable<FieldCommand>,
  now: Date,
  guard: (field: GovernedField, value: string) => boolean = () => true,
): { readonly profile: Profile; readonly changes: readonly FieldChange[] } {
  const written: Record<GovernedField, OwnedValue> = { ...profile }
  const changes: FieldChange[] = []
  for (const command of commands) {
    const { field } = command
    const before = written[field]
    const decision = decideField(before, command)
    if (decision === undefined) continue
    const { outcome, value, owner } = decision
    if ((outcome === 'WRITTEN' || outcome === 'PINNED') && !guard(field, value)) continue
    written[field] = { value, owner, since: owner === before.owner ? before.since : now }
    changes.push({ field, outcome, oldOwner: before.owner, newOwner: owner })
  }
  return { profile: written, changes }
}

interface FieldDecision {
  readonly outcome: FieldWriteOutcome
  readonly value: string
  readonly owner: FieldOwner
}

/** The rule of ownership (docs/field-ownership.md); undefined where nothing happens. */
function decideField({ value, owner }: OwnedValue, command: FieldCommand): FieldDecision | undefined {
  const released = { outcome: 'RELEASED', value, owner: 'AUTOMATION' } as const
  switch (command.kind) {
    case 'set':
      return decideSet({ value, owner }, command.value, command.as)
    case 'release':
      if (owner === 'DIRECTORY') return { outcome: 'SKIPPED_DIRECTORY_LOCKED', value, owner }
      return owner === 'PINNED' ? released : undefined
    case 'withdraw':
      return owner === 'DIRECTORY' ? released : undefined
  }
}

function decideSet(
  stored: Pick<OwnedValue, 'value' | 'owner'>,
  value: string,
  writer: FieldOwner | 'HOLDER',
): FieldDecision {
  if (stored.owner === 'DIRECTORY' && writer !== 'DIRECTORY') return { outcome: 'SKIPPED_DIRECTORY_LOCKED', ...stored }
  const equal = value === stored.value
  if (writer === 'HOLDER') return { outcome: equal ? 'UNCHANGED' : 'WRITTEN', value, owner: stored.owner }
  if (stored.owner === 'PINNED' && writer === 'AUTOMATION') {
    return { outcome: equal ? 'UNCHANGED' : 'SKIPPED_PINNED', ...stored }
  }
  if (equal && writer === stored.owner) return { outcome: 'UNCHANGED', ...stored }
  return { outcome: writer === 'PINNED' ? 'PINNED' : 'WRITTEN', value, owner: writer }
}

export function isChanged(changes: readonly FieldChange[]): boolean {
  return changes.some(({ outcome }) => isWritten(outcome))
}

export function isWritten(outcome: FieldWriteOutcome): boolean {
  return outcome === 'WRITTEN' || outcome === 'PINNED' || outcome === 'RELEASED'
}

export function skippedFields(changes: readonly FieldChange[]): SkippedFields {
  const fieldsWith = (outcome: FieldWriteOutcome) =>
    governedFields.filter((field) => changes.some((change) => change.field === field && change.outcome === outcome))
  return { pinned: fieldsWith('SKIPPED_PINNED'), directoryLocked: fieldsWith('SKIPPED_DIRECTORY_LOCKED') }
}

/** Who writes through the API: people own what they write; keys and workers do only if they ask for it. */
export type ApiWriter = 'person' | 'automation'

/** A write of profile fields through the API: what `PUT /v2/users/{id}` and the relationship methods ask for. */
export interface ProfileRequest {
  readonly writer: ApiWriter
  /** The fields that the request sets; an empty value clears one. */
  readonly values: ReadonlyMap<GovernedField, string>
  readonly pinFields?: readonly GovernedField[]
  readonly releaseFields?: readonly GovernedField[]
  /**
   * Whether the fields that are set get pinned; false takes no ownership. Absent: the writer and `pinFields` decide.
   */
  readonly pin?: boolean | undefined
  /** Fields that a person's request only repeats as they stand: they do not become the person's. */
  readonly repeatedFields?: readonly GovernedField[]
}

/** The commands of a request: all releases, then each field that it sets, in enum order. */
export function commandsOfRequest(request: ProfileRequest): FieldCommand[] {
  const commands: FieldCommand[] = []
  for (const field of governedFields) {
    if (request.releaseFields?.includes(field)) commands.push({ kind: 'release', field })
  }
  for (const field of governedFields) {
    const value = request.values.get(field)
    if (value === undefined) continue
    const isWritten = request.repeatedFields?.includes(field) !== true
    const pins =
      request.pin ?? ((request.writer === 'person' && isWritten) || request.pinFields?.includes(field) === true)
    // The rule for automation does not bind people, who replace what is pinned even without pinning.
    const unpinned = request.writer === 'person' ? 'HOLDER' : 'AUTOMATION'
    commands.push({ kind: 'set', field, value, as: pins ? 'PINNED' : unpinned })
  }
  return commands
}

/** The commands of directory sync: fields that it supplies are stored and locked, all others are unlocked. */
export function commandsOfDirectory(supplied: ReadonlyMap<GovernedField, string>): FieldCommand[] {
  return governedFields.map((field) => {
    const value = supplied.get(field)
    return value === undefined ? { kind: 'withdraw', field } : { kind: 'set', field, value, as: 'DIRECTORY' }
  })
}

export function emptyProfile(now: Date): Profile {
  return perOwnedField(() => ({ value: '', owner: 'AUTOMATION', since: now }))
}
