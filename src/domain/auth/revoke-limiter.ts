import type { Tables } from '../../db/tables.js'
import { ServiceError } from '../../errors.js'
import { decideRevokeAttempt } from '../../store/revoke-attempt.js'

const REVOKE_LIMIT = 5
export const REVOKE_SPAN_SECONDS = 60

/**
 * Decides whether a client address may attempt a revocation now, and counts the attempt if so: at most five accepted
 * requests of an address in any 60 seconds of the database's clock, whichever process asks. A refused request writes
 * nothing, so it does not extend the wait. Returns 0, or the whole seconds until the next request is allowed. Throws if
 * the database fails.
 */
export async function admitRevocation(tables: Pick<Tables, 'run'>, clientAddress: string): Promise<number> {
  // Neither allowed nor refused means that others were counted while it waited for the row: the next look sees them.
  for (let look = 0; look <= REVOKE_LIMIT; look++) {
    const attempt = { clientAddress, limit: REVOKE_LIMIT, spanSeconds: REVOKE_SPAN_SECONDS }
    const decision = await decideRevokeAttempt(tables, attempt)
    if (decision?.isAllowed === true) return 0
    if (decision?.isRefused === true) return Math.min(REVOKE_SPAN_SECONDS, Math.max(1, decision.retryAfterSeconds ?? 1))
  }
  throw new Error('the rate limiter gave no decision')
}

export function rateLimited(retryAfterSeconds: number): ServiceError {
  const limit = `an address can send at most ${REVOKE_LIMIT} requests in any ${REVOKE_SPAN_SECONDS} seconds`
  return new ServiceError('RATE_LIMITED', `${limit}; try again in ${retryAfterSeconds} seconds`, { retryAfterSeconds })
}
