import type { LeftOut } from '../support/partial-environment.js'

const FROZEN = 'freezes the database by an option at the start of sessions, which PgBouncer refuses'
const IDENTITY = 'tells connections apart by the id of their session, which changes with each transaction'
const LIMITS = 'gives a handle shorter limits than its role, which its sessions get when they begin'
const NAMES = 'asks the session for the names of its statements; there are none'

/**
 * What `npm run test:pgbouncer` leaves out: tests of what a session of PostgreSQL is told when it begins, and keeps.
 * `test/db/pooler.test.ts` holds what takes their place.
 */
export const leftOut: readonly LeftOut[] = [
  { file: 'test/db/read-only-database.test.ts', reason: FROZEN },
  {
    file: 'test/http/health.test.ts',
    test: 'readiness names a database that only reads, and migrations that are missing',
    reason: FROZEN,
  },
  {
    file: 'test/db/pool.test.ts',
    test: 'a pool is never allowed more by a transaction than by the database itself',
    reason: FROZEN,
  },
  { file: 'test/db/pool.test.ts', test: 'a pool gives up a connection to a server that only reads', reason: IDENTITY },
  {
    file: 'test/db/errors.test.ts',
    test: 'a failure of the database does not take the next caller down: a connection lost while idle is replaced',
    reason: IDENTITY,
  },
  {
    file: 'test/db/errors.test.ts',
    test: 'a failure of the database is a timeout when a statement takes too long',
    reason: LIMITS,
  },
  {
    file: 'test/db/errors.test.ts',
    test: 'a failure of the database is a timeout when a lock is not given up',
    reason: LIMITS,
  },
  {
    file: 'test/idempotency/idempotency-waiting.test.ts',
    test: 'calls with one key, in several processes wait for each other across processes, longer than one waits for a lock',
    reason: LIMITS,
  },
  {
    file: 'test/http/configured-limits.test.ts',
    test: 'a server whose limits are configured lets a statement wait for a lock no longer than DATABASE_LOCK_SECONDS',
    reason: LIMITS,
  },
  {
    file: 'test/http/configured-limits.test.ts',
    test: 'a server whose limits are configured lets a statement run no longer than DATABASE_STATEMENT_SECONDS',
    reason: LIMITS,
  },
  { file: 'test/scim/too-many.test.ts', reason: LIMITS },
  { file: 'test/db/pool.test.ts', test: 'a pool whose connections have outdated statements', reason: NAMES },
  {
    file: 'test/db/transaction.test.ts',
    test: 'a session prepares a named statement and each of Prisma’s texts once per connection',
    reason: NAMES,
  },
]
