import { UserProfileField } from '../../gen/svc/v2/user_pb.js'
import { type GovernedField, governedFields, type SkippedFields } from '../domain/profile/field-ownership.js'

/** The fields that a list of a request names. */
export function governedFieldsFrom(values: readonly UserProfileField[]): GovernedField[] {
  return values.flatMap((value) => governedFields.find((known) => UserProfileField[known] === value) ?? [])
}

/** The two lists of what a write has left alone, as every answer has them. */
export function skippedFieldsToMessage({ pinned, directoryLocked }: SkippedFields): {
  readonly skippedPinnedFields: UserProfileField[]
  readonly skippedDirectoryLockedFields: UserProfileField[]
} {
  return {
    skippedPinnedFields: pinned.map((field) => UserProfileField[field]),
    skippedDirectoryLockedFields: directoryLocked.map((field) => UserProfileField[field]),
  }
}
