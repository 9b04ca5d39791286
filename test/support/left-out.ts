/** A test that does not apply to where the tests run. */
export interface LeftOut {
  readonly file: string
  /** Its full name, or the beginning of it; absent for the whole file. */
  readonly test?: string
  readonly reason: string
}

/**
 * What `npm run test:citus` leaves out: tests that ask PostgreSQL itself, which on a cluster is one of several, about its
 * catalogues, plans, locks and time limits. A single PostgreSQL tests the same of the service.
 */
const citus: readonly LeftOut[] = [
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
    file: 'test/transfer/import-over-people.test.ts',
    test: 'an import of many records updates the statistics of its tables',
    reason: 'reads the statistics of the coordinator, which has no rows of distributed tables',
  },
  {
    file: 'test/telemetry/meters.test.ts',
    test: 'the metrics of a service time statements by name',
    reason: 'names a statement that is sent to one PostgreSQL alone',
  },
  ...[
    'of a REST call continue',
    'include the statements of a call with a key',
    'show which statement failed',
    'of concurrent calls each include',
  ].map((test) => ({ file: 'test/telemetry/tracing.test.ts', test: `traces ${test}`, reason: 'the same' })),
  {
    file: 'test/store/sent-queries.test.ts',
    test: 'an operation sends to the database PATCH /v2/priorities/pri-it',
    reason: 'the same; `test/citus/one-node.citus.ts` watches what a cluster is sent',
  },
  {
    file: 'test/store/sent-queries.test.ts',
    test: 'an operation sends to the database PUT /v2/users/it-agent',
    reason: 'the same',
  },
  {
    file: 'test/db/transaction.test.ts',
    test: 'a transaction sends the queries for several relations',
    reason: 'counts the messages of a transaction, which begins with one more on a cluster',
  },
  {
    file: 'test/store/kept-plans.test.ts',
    reason: 'counts the plans that one PostgreSQL keeps: workers plan for the values',
  },
  {
    file: 'test/store/list-cost.test.ts',
    test: 'lists and writes read each row once',
    reason: 'compares what is read with the sizes of tables, which are those of shards on other nodes',
  },
  {
    file: 'test/http/configured-limits.test.ts',
    test: 'a server with configured limits limits the wait for a connection to DATABASE_WAIT_SECONDS',
    reason: 'has two connections, one of them for each worker: look-ups of tokens wait for it too',
  },
]

const FROZEN = 'freezes the database by an option at the start of sessions, which PgBouncer refuses'
const IDENTITY = 'distinguishes connections by the id of their session, which changes with each transaction'
const LIMITS = 'gives a handle shorter limits than its role, which its sessions get when they begin'
const NAMES = 'asks the session for the names of its statements; there are none'

/**
 * What `npm run test:pgbouncer` leaves out: tests of what a PostgreSQL session is given at its start, and keeps.
 * `test/db/pooler.test.ts` tests what takes their place.
 */
const pgbouncer: readonly LeftOut[] = [
  { file: 'test/db/read-only-database.test.ts', reason: FROZEN },
  {
    file: 'test/http/health.test.ts',
    test: 'readiness names a read-only database, and missing migrations',
    reason: FROZEN,
  },
  {
    file: 'test/db/pool.test.ts',
    test: 'a pool never allows a transaction more than the database does',
    reason: FROZEN,
  },
  { file: 'test/db/pool.test.ts', test: 'a pool drops a connection to a read-only server', reason: IDENTITY },
  { file: 'test/db/pool.test.ts', test: 'a pool drops a connection to a coordinator', reason: LIMITS },
  {
    file: 'test/db/errors.test.ts',
    test: 'a failure of the database does not affect the next caller: a connection lost while idle is replaced',
    reason: IDENTITY,
  },
  {
    file: 'test/db/errors.test.ts',
    test: 'a failure of the database is a timeout when a statement takes too long',
    reason: LIMITS,
  },
  {
    file: 'test/db/errors.test.ts',
    test: 'a failure of the database is a timeout when a lock is not released',
    reason: LIMITS,
  },
  {
    file: 'test/idempotency/idempotency-waiting.test.ts',
    test: 'concurrent calls with one key wait for each other across processes, longer than one waits for a lock',
    reason: LIMITS,
  },
  {
    file: 'test/http/configured-limits.test.ts',
    test: 'a server with configured limits lets a statement wait for a lock no longer than DATABASE_LOCK_SECONDS',
    reason: LIMITS,
  },
  {
    file: 'test/http/configured-limits.test.ts',
    test: 'a server with configured limits lets a statement run no longer than DATABASE_STATEMENT_SECONDS',
    reason: LIMITS,
  },
  { file: 'test/scim/too-many.test.ts', reason: LIMITS },
  { file: 'test/db/pool.test.ts', test: 'a pool whose connections have outdated prepared statements', reason: NAMES },
  {
    file: 'test/db/transaction.test.ts',
    test: 'a session prepares each named statement and each of Prisma’s texts once per connection',
    reason: NAMES,
  },
]

/** What is left out, by the value of `TEST_ON`. */
export const leftOut: Readonly<Record<string, readonly LeftOut[]>> = { citus, pgbouncer }
