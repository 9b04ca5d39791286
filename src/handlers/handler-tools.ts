import type { CredentialTools } from '../domain/auth/bearer-token.js'
import type { FeedSignals } from '../domain/event/feed-signals.js'
import type { SkippedFields } from '../domain/profile/field-ownership.js'
import type { WebhookTools } from '../domain/webhook/delivery.js'
import type { LimitCheck } from '../limits/limit-check.js'

/** The dependencies of handlers besides the context of a call; each takes the ones that it needs. */
export interface HandlerTools extends Pick<CredentialTools, 'hasher' | 'bearerTokens' | 'keyUses'> {
  readonly feedSignals: FeedSignals
  readonly webhooks: WebhookTools
  readonly limitCheck: LimitCheck
  readonly tally?: Tally | undefined
}

/** The name of an enum value in rows; undefined for the unspecified one. The limits refuse unknown numbers. */
export function nameOf<Names extends object>(
  names: Names,
  value: number,
): Exclude<keyof Names, 'UNSPECIFIED'> | undefined {
  const name: unknown = Reflect.get(names, value)
  return name === 'UNSPECIFIED' ? undefined : (name as Exclude<keyof Names, 'UNSPECIFIED'> | undefined)
}

/** Counts what handlers have done that operators watch. Must not throw. */
export interface Tally {
  /** The limiter of revocations has decided. */
  revokeAttempt(isAllowed: boolean): void
  /** A revocation has ended so many keys: none, one, or the chain of one. */
  keysRevoked(keys: number): void
  sessionCreated(): void
  /** A write has left these fields alone. */
  fieldsSkipped(skipped: SkippedFields): void
  /** A profile was published without its phone number, which another member has. */
  phoneSkipped(): void
}
