import type { Sql } from '../db/sql.js'
import { ServiceError } from '../errors.js'

/** What a limiter says of a request. */
export type Admission =
  | { readonly allowed: true }
  /** Whole seconds until the next request is allowed, at least 1. */
  | { readonly allowed: false; readonly retryAfterSeconds: number }

/** Decides whether a client address may try a revocation now, and counts it when it may. */
export interface RevokeLimiter {
  admit(clientAddress: string): Promise<Admission>
}

/** Accepted requests of an address in any span. */
const REVOKE_LIMIT = 5
/** The span, in seconds. */
export const REVOKE_SPAN_SECONDS = 60

const span = `interval '${REVOKE_SPAN_SECONDS} seconds'`

// The clock is read once, after the row is locked: times are stored in the order in which they are taken. A time that
// stands in the future, because the clock was set back, counts as recent.
const admitAddress = `
INSERT INTO revoke_attempts AS held (client_address, accepted_at) VALUES ($1, ARRAY[clock_timestamp()])
ON CONFLICT (client_address) DO UPDATE SET (accepted_at, refused) = (
  SELECT CASE WHEN cardinality(recent) < ${REVOKE_LIMIT} THEN recent || clock ELSE held.accepted_at END,
         cardinality(recent) >= ${REVOKE_LIMIT}
    FROM (SELECT clock, ARRAY(SELECT accepted FROM unnest(held.accepted_at) AS accepted
                               WHERE accepted >= clock - ${span} ORDER BY accepted) AS recent
            FROM (SELECT clock_timestamp() AS clock OFFSET 0) AS reading OFFSET 0) AS decision
)
RETURNING refused,
          ceil(extract(epoch FROM accepted_at[1] + ${span} - clock_timestamp()))::int AS retry_after_seconds`

/**
 * The limiter of a deployment: at most five accepted requests of an address in any 60 seconds of the database's clock,
 * whichever process asks. A refused request does not extend the wait. Throws when the database fails.
 */
export function createRevokeLimiter(database: Sql): RevokeLimiter {
  return {
    admit: async (clientAddress) => {
      const [row] = await database.query<{ refused: boolean; retry_after_seconds: number }>(
        admitAddress,
        [clientAddress],
        'admit_address',
      )
      if (row === undefined) throw new Error('the limiter has not decided')
      if (!row.refused) return { allowed: true }
      const retryAfterSeconds = Math.min(REVOKE_SPAN_SECONDS, Math.max(1, row.retry_after_seconds))
      return { allowed: false, retryAfterSeconds }
    },
  }
}

/** The error of a request that the limiter refuses. */
export function rateLimited(retryAfterSeconds: number): ServiceError {
  const limit = `at most ${REVOKE_LIMIT} requests in ${REVOKE_SPAN_SECONDS} seconds are taken from one address`
  return new ServiceError('RATE_LIMITED', `${limit}; try again in ${retryAfterSeconds} seconds`, { retryAfterSeconds })
}
