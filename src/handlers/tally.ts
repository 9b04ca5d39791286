import type { SkippedFields } from '../domain/profile/field-ownership.js'

/** Told of what handlers have done that operators watch. Nothing of it may throw. */
export interface Tally {
  /** The limiter of revocations has decided. */
  revokeAttempt(isAllowed: boolean): void
  /** A revocation has ended so many keys: none or one. */
  keysRevoked(keys: number): void
  sessionCreated(): void
  /** A write has left these fields alone. */
  fieldsSkipped(skipped: SkippedFields): void
  /** A profile was published without its phone number, which another member has. */
  phoneSkipped(): void
}
