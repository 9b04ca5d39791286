import { UserProfileField } from '../../gen/svc/v2/user_pb.js'
import { type GovernedField, governedFields, type SkippedFields } from '../domain/profile/field-ownership.js'

/** The fields named in a list of a request. */
export function governedFieldsFrom(values: readonly UserProfileField[]): GovernedField[] {
  return values.flatMap((value) => governedFields.find((known) => UserProfileField[known] === value) ?? [])
}

/** The two lists of fields that a write left alone, as in every answer. */
export function skippedFieldsToMessage({ pinned, directoryLocked }: SkippedFields): {
  readonly skippedPinnedFields: UserProfileField[]
  readonly skippedDirectoryLockedFields: UserProfileField[]
} {
  return {
    skippedPinnedFields: pinned.map((field) => UserProfileField[field]),
    skippedDirectoryLockedFields: directoryLocked.map((field) => UserProfileField[field]),
  }
}
