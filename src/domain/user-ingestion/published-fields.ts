import { type SkippedFields, skippedFields } from '../profile/field-ownership.js'
import type { ChangedMember } from '../user/member-change.js'

/** What a publication has left alone or out. */
export interface PublishedFields {
  readonly skipped: SkippedFields
  readonly skippedPhone: boolean
  readonly unresolvedManager: boolean
}

/** The same of what has become of a member; of nothing that was published, where there is none. */
export function publishedFields(published?: Pick<ChangedMember, 'changes' | 'leftOut'>): PublishedFields {
  return {
    skipped: skippedFields(published?.changes ?? []),
    skippedPhone: published?.leftOut.has('PRIMARY_PHONE') === true,
    unresolvedManager: published?.leftOut.has('MANAGER') === true,
  }
}
