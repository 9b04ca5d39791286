import { Counter, type Registry } from 'prom-client'
import type { Tally } from '../handlers/tally.js'

/** Counts what handlers do and operators watch. */
export function createTallyMeters(registry: Registry): Tally {
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  const attempts = counter('svc_revoke_attempts_total', 'Decisions of the rate limiter for revocations.', 'decision')
  const revocations = counter('svc_revocations_total', 'API keys revoked by their secret.')
  const sessions = counter('svc_sessions_created_total', 'Access tokens issued to API keys.')
  const skipped = counter(
    'svc_skipped_fields_total',
    'Fields that writes skipped, by reason: a pin, the directory, or another member who has the value.',
    'field',
    'keeper',
  )
  const [allowed, refused] = [attempts.labels('allowed'), attempts.labels('refused')]
  return {
    revokeAttempt: (isAllowed) => (isAllowed ? allowed : refused).inc(),
    keysRevoked: (keys) => revocations.inc(keys),
    sessionCreated: () => sessions.inc(),
    fieldsSkipped: ({ pinned, directoryLocked }) => {
      for (const field of pinned) skipped.inc({ field, keeper: 'pin' })
      for (const field of directoryLocked) skipped.inc({ field, keeper: 'directory' })
    },
    phoneSkipped: () => skipped.inc({ field: 'PRIMARY_PHONE', keeper: 'member' }),
  }
}
