import type { LeftOut } from '../support/partial-environment.js'

/**
 * What `npm run test:citus` leaves out: tests that ask PostgreSQL itself, which on a cluster is one of several, about its
 * catalogues, plans, locks and time limits. What they hold of the service is held on one PostgreSQL.
 */
export const leftOut: readonly LeftOut[] = [
  {
    file: 'test/store/list-cost.test.ts',
    reason: 'counts the rows that a plan reads; the coordinator shows none of the plans of the workers',
  },
  { file: 'test/store/scim-list-cost.test.ts', reason: 'the same' },
  { file: 'test/scim/filter-plans.test.ts', reason: 'the same' },
  ...['return nothing but constants of their writes', 'are told apart by what they return'].map((test) => ({
    file: 'test/store/cluster-rules.test.ts',
    test: `on a cluster, the statements of the stores ${test}`,
    reason: 'reads from plans what writes return, which the plans of the coordinator do not say',
  })),
  {
    file: 'test/store/token-holder.test.ts',
    reason: 'asks pg_prepared_statements and plans, and prepares the look-ups that only one PostgreSQL is sent',
  },
  {
    file: 'test/db/distribute.test.ts',
    reason: 'begins with databases that are not distributed, and says what one PostgreSQL lacks',
  },
  { file: 'test/cli/distribute.test.ts', reason: 'the same' },
  {
    file: 'test/telemetry/meters.test.ts',
    test: 'the metrics of a service measure statements by their names',
    reason: 'names a statement that is sent to one PostgreSQL alone',
  },
  {
    file: 'test/idempotency/idempotency-waiting.test.ts',
    test: 'calls with one key, in several processes wait for each other across processes',
    reason: 'counts repetitions after lock_timeout, which a session sets for the coordinator, not for the workers',
  },
  {
    file: 'test/http/configured-limits.test.ts',
    test: 'a server whose limits are configured lets a statement wait for a lock no longer than DATABASE_LOCK_SECONDS',
    reason: 'holds lock_timeout, which a session sets for the coordinator, not for the workers',
  },
]
