import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { PrismaClient } from '../../gen/prisma/client.js'
import { Semaphore } from '../runtime/semaphore.js'

/** Columns that no read returns unless they are selected by name. */
const secretColumns = {
  apiKey: { secretHash: true },
  apiKeySession: { tokenHash: true },
  userToken: { tokenHash: true },
  signingKey: { key: true },
} as const

export type Prisma = PrismaClient<never, typeof secretColumns>

/** The tables as Prisma's models: the client, or a transaction of it. */
export type Models = Omit<Prisma, '$connect' | '$disconnect' | '$on' | '$transaction' | '$use' | '$extends'>

/** The most texts that Prisma may prepare per connection; lists of different lengths are different texts. */
const MAX_PREPARED = 500

/** The steps of one of Prisma's transactions on its connection. */
export interface TransactionSteps {
  readonly client: pg.PoolClient
  begin(): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** Prisma's client, and its transactions on connections that the caller has taken. */
export type ModelsClient = ReturnType<typeof createModelsClient>

/** A transaction is bounded by its statements and its call: this is the longest time that a timer takes. */
const NO_LIMIT = 2 ** 31 - 1
/** The isolation level distinguishes them from transactions that Prisma begins by itself; their steps set another. */
const OF_TABLES = { maxWait: NO_LIMIT, timeout: NO_LIMIT, isolationLevel: 'ReadCommitted' } as const

/**
 * Makes Prisma's client on a pool, which it does not close. Prisma does not tell its adapter which transaction begins,
 * so a mutex lets one at a time begin, which needs no input or output. `AsyncLocalStorage` would do, too, but slows
 * every promise of the process down on Node 20 (docs/adr/0005-prisma-behind-every-service.md).
 */
export function createModelsClient(pool: pg.Pool & { readonly statementNames: boolean }) {
  const mutex = new Semaphore(1)
  let given: TransactionSteps | undefined
  const take = (): TransactionSteps => {
    if (given === undefined) throw new Error('transactions are begun by the tables')
    const steps = given
    given = undefined
    mutex.release()
    return steps
  }
  const factory = new PrismaPg(pool, pool.statementNames ? { statementNameGenerator: createStatementNames() } : {})
  const connect = async () => {
    const adapter = await factory.connect()
    return Object.assign<Adapter, Pick<Adapter, 'startTransaction'>>(Object.create(adapter), {
      startTransaction: async (isolationLevel?: unknown) => {
        // Transactions that Prisma begins by itself, such as for an upsert, have no level.
        if (isolationLevel === undefined) return adapter.startTransaction()
        const steps = take()
        await steps.begin()
        return transactionOn(adapter, steps)
      },
    })
  }
  const prisma: Prisma = new PrismaClient({
    adapter: { provider: 'postgres', adapterName: factory.adapterName, connect },
    omit: secretColumns,
  })
  return {
    prisma,
    /** Runs the work with models in a transaction: commits when it returns, rolls back when it throws. */
    transaction: async <T>(steps: TransactionSteps, work: (models: Models) => Promise<T>): Promise<T> => {
      await mutex.acquire()
      given = steps
      try {
        return await prisma.$transaction(work, OF_TABLES)
      } finally {
        // Where Prisma has failed before it came to the adapter.
        if (given === steps) take()
      }
    },
  }
}

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>
type SqlQuery = Parameters<Adapter['queryRaw']>[0]

/** A transaction for Prisma: queries of models are sent to the connection of the steps, and nothing else is. */
function transactionOn(adapter: Adapter, { client, commit, rollback }: TransactionSteps) {
  // The adapter sends each query to its `client`, the pool.
  const connected: Adapter = Object.create(adapter, { client: { value: client } })
  // Prisma reads several relations at once, and a connection answers one query after the other. If one fails, Prisma
  // ends the transaction without waiting for the others.
  let last: Promise<unknown> = Promise.resolve()
  const oneAtATime = <T>(send: () => Promise<T>): Promise<T> => {
    const sent = last.then(send)
    last = Promise.allSettled([sent])
    return sent
  }
  return Object.assign(connected, {
    options: { usePhantomQuery: true },
    queryRaw: (query: SqlQuery) => oneAtATime(() => adapter.queryRaw.call(connected, query)),
    executeRaw: (query: SqlQuery) => oneAtATime(() => adapter.executeRaw.call(connected, query)),
    commit: () => oneAtATime(commit),
    rollback: () => oneAtATime(rollback),
  })
}

/** Names for Prisma's statements, the same for the same text; none past the limit, to bound the memory of servers. */
function createStatementNames(): (query: { sql: string }) => string {
  const names = new Map<string, string>()
  return ({ sql }) => {
    const known = names.get(sql)
    if (known !== undefined || names.size === MAX_PREPARED) return known ?? ''
    const name = `prisma_${names.size}`
    names.set(sql, name)
    return name
  }
}
