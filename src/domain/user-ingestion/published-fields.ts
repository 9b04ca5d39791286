import { type SkippedFields, skippedFields } from '../profile/field-ownership.js'
import type { ChangedMember } from '../user/member-change.js'

/** What a publication left alone or left out. */
export interface PublishedFields {
  readonly skipped: SkippedFields
  readonly skippedPhone: boolean
  readonly unresolvedManager: boolean
}

/** The same from the outcome for a member, or for nothing published if there is no outcome. */
export function publishedFields(published?: Pick<ChangedMember, 'changes' | 'leftOut'>): PublishedFields {
  return {
    skipped: skippedFields(published?.changes ?? []),
    skippedPhone: published?.leftOut.has('PRIMARY_PHONE') === true,
    unresolvedManager: published?.leftOut.has('MANAGER') === true,
  }
}
