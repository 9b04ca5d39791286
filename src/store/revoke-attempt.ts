import { Prisma } from '../../gen/prisma/client.js'
import { createLookUp, createQuery } from '../db/tables.js'

/** A client address that asks, and the limit: the most accepted requests in a time span, in seconds. */
export interface RevokeAttempt {
  readonly clientAddress: string
  readonly limit: number
  readonly spanSeconds: number
}

/** The decision: counted, refused, or neither if others were counted while it waited. */
export interface RevokeDecision {
  readonly isAllowed: boolean
  readonly isRefused: boolean
  /** Seconds until the next one is allowed; `null` if none was counted. */
  readonly retryAfterSeconds: number | null
}

/**
 * The times that count at a moment, oldest first. If a clock was set back, times are in the future and count as recent.
 */
const recent = (times: Prisma.Sql, clock: Prisma.Sql, span: Prisma.Sql) =>
  Prisma.sql`ARRAY(SELECT accepted FROM unnest(${times}) AS accepted WHERE accepted >= ${clock} - ${span} ORDER BY accepted)`

/**
 * Decides about an attempt by the database's clock, and counts it if it is allowed. A refusal only reads and locks
 * nothing. Any other attempt is checked again with the row locked, by a clock that is read then, so that times are
 * stored in order.
 */
export const decideRevokeAttempt = createLookUp<RevokeAttempt, RevokeDecision>({
  name: 'admit_address',
  columns: { isAllowed: 'bool', isRefused: 'bool', retryAfterSeconds: 'int4' },
  text: ({ clientAddress, limit, spanSeconds }) => {
    const span = Prisma.sql`make_interval(secs => ${spanSeconds}::int)`
    const clock = Prisma.sql`clock`
    const attempts = Prisma.sql`stored.accepted_at`
    return Prisma.sql`
WITH seen AS MATERIALIZED (
  SELECT clock, ${recent(Prisma.sql`accepted_at`, clock, span)} AS times
    FROM (SELECT clock_timestamp() AS clock OFFSET 0) AS reading
    LEFT JOIN revoke_attempts ON client_address = ${clientAddress}::text
), counted AS (
  INSERT INTO revoke_attempts AS stored (client_address, accepted_at)
  SELECT ${clientAddress}::text, ARRAY[clock_timestamp()] FROM seen WHERE cardinality(times) < ${limit}::int
  ON CONFLICT (client_address) DO UPDATE SET accepted_at = (
    SELECT ${recent(attempts, clock, span)} || clock FROM (SELECT clock_timestamp() AS clock OFFSET 0) AS reading
  ) WHERE cardinality(${recent(attempts, Prisma.sql`clock_timestamp()`, span)}) < ${limit}::int
  RETURNING client_address
)
SELECT EXISTS (SELECT FROM counted) AS "isAllowed", cardinality(times) >= ${limit}::int AS "isRefused",
       ceil(extract(epoch FROM times[1] + ${span} - clock))::int AS "retryAfterSeconds"
  FROM seen`
  },
})

/** Deletes the attempts of addresses whose span is over. */
export const deleteOldAttempts = createQuery<Pick<RevokeAttempt, 'spanSeconds'>>({
  name: 'delete_revoke_attempts',
  columns: {},
  text: ({ spanSeconds }) => Prisma.sql`
DELETE FROM revoke_attempts
 WHERE accepted_at[cardinality(accepted_at)] < clock_timestamp() - make_interval(secs => ${spanSeconds})`,
})
