import {
  type FieldOwner,
  type GovernedField,
  governedFields,
  type Profile,
  type SkippedFields,
} from '../../src/domain/profile/field-ownership.js'
import type { OwnedValue } from '../../src/store/member.js'
import { perOwnedField } from '../../src/store/owned-column.js'

/** One write of a history, as a client would send it. */
export type ModelStep =
  | {
      readonly by: 'user token' | 'api key' | 'worker'
      readonly values: ReadonlyMap<GovernedField, string>
      readonly pinFields: ReadonlySet<GovernedField>
      readonly releaseFields: ReadonlySet<GovernedField>
    }
  | {
      readonly by: 'relationship'
      readonly token: 'user token' | 'api key'
      /** Empty clears. */
      readonly manager: string
      readonly pin: boolean | undefined
    }
  | { readonly by: 'ingestion'; readonly values: ReadonlyMap<GovernedField, string> }
  | {
      readonly by: 'import'
      readonly token: 'user token' | 'api key'
      readonly values: ReadonlyMap<GovernedField, string>
      /** What `fieldOwnership` of the record says. */
      readonly owners: ReadonlyMap<GovernedField, FieldOwner>
    }
  | {
      /** The operator's import, whose record replaces everything. */
      readonly by: 'command line'
      readonly values: ReadonlyMap<GovernedField, string>
      readonly owners: ReadonlyMap<GovernedField, FieldOwner>
    }
  | {
      readonly by: 'directory'
      readonly values: ReadonlyMap<GovernedField, string>
      readonly withdrawn: ReadonlySet<GovernedField>
    }

/** A write whose commands do not depend on what stands. */
export type CommandStep = Exclude<ModelStep, { readonly by: 'import' | 'command line' }>

interface NaiveField {
  value: string
  /** It belongs to a person, or to a key that pinned it. */
  pinned: boolean
  /** The directory supplies it. */
  locked: boolean
  since: Date
}

/**
 * The rules of ownership, written a second time in a simple way: two flags per field, and one branch per sentence of
 * docs/field-ownership.md. It shares nothing with the code that it checks. Without `from`, the fields are empty and
 * automation's.
 */
export function createOwnershipModel(
  start: Date,
  from?: Readonly<Record<GovernedField, Pick<OwnedValue, 'value' | 'owner'>>>,
): {
  apply(step: ModelStep, at: Date): SkippedFields
  profile(): Profile
} {
  const fields = new Map<GovernedField, NaiveField>()
  for (const name of governedFields) {
    const { value, owner } = from?.[name] ?? { value: '', owner: 'AUTOMATION' }
    fields.set(name, { value, pinned: owner === 'PINNED', locked: owner === 'DIRECTORY', since: start })
  }

  const of = (name: GovernedField): NaiveField => {
    const field = fields.get(name)
    if (field === undefined) throw new Error(`no such field: ${name}`)
    return field
  }

  return {
    apply(step, at) {
      const skippedPinned: GovernedField[] = []
      const skippedLocked: GovernedField[] = []

      const writeThroughApi = (name: GovernedField, value: string, pins: boolean, byPerson = false) => {
        const field = of(name)
        if (field.locked) {
          skippedLocked.push(name)
        } else if (byPerson && !pins) {
          field.value = value
        } else if (pins) {
          if (!field.pinned) field.since = at
          field.pinned = true
          field.value = value
        } else if (field.pinned) {
          if (field.value !== value) skippedPinned.push(name)
        } else {
          field.value = value
        }
      }

      if (step.by === 'directory') {
        for (const name of governedFields) {
          const field = of(name)
          const value = step.values.get(name)
          if (value !== undefined) {
            if (!field.locked) field.since = at
            field.locked = true
            field.pinned = false
            field.value = value
          } else if (step.withdrawn.has(name) && field.locked) {
            field.locked = false
            field.since = at
          }
        }
      } else if (step.by === 'relationship') {
        const byPerson = step.token === 'user token'
        writeThroughApi('MANAGER', step.manager, step.pin === undefined ? byPerson : step.pin, byPerson)
      } else if (step.by === 'ingestion') {
        for (const [name, value] of step.values) writeThroughApi(name, value, false)
      } else if (step.by === 'import') {
        for (const [name, value] of step.values) {
          const field = of(name)
          const named = step.owners.get(name)
          const owner = field.locked ? 'DIRECTORY' : field.pinned ? 'PINNED' : 'AUTOMATION'
          const isRepeated = named === owner && value === field.value
          if (step.token === 'user token') writeThroughApi(name, value, !isRepeated, true)
          else writeThroughApi(name, value, named === 'PINNED' && owner === 'AUTOMATION')
        }
      } else if (step.by === 'command line') {
        for (const name of governedFields) {
          const field = of(name)
          const named = step.owners.get(name)
          field.value = step.values.get(name) ?? ''
          field.pinned = named === 'PINNED'
          field.locked = named === 'DIRECTORY'
        }
      } else {
        for (const name of step.releaseFields) {
          const field = of(name)
          if (field.locked) {
            skippedLocked.push(name)
          } else if (field.pinned) {
            field.pinned = false
            field.since = at
          }
        }
        for (const [name, value] of step.values) {
          writeThroughApi(name, value, step.by === 'user token' || step.pinFields.has(name))
        }
      }

      const inOrder = (names: GovernedField[]) => governedFields.filter((name) => names.includes(name))
      return { pinned: inOrder(skippedPinned), directoryLocked: inOrder(skippedLocked) }
    },

    profile() {
      const state = (name: GovernedField): OwnedValue => {
        const { value, pinned, locked, since } = of(name)
        const owner: FieldOwner = locked ? 'DIRECTORY' : pinned ? 'PINNED' : 'AUTOMATION'
        return { value, owner, since }
      }
      return perOwnedField(({ field }) => state(field))
    },
  }
}
