import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { PrismaClient } from '../../gen/prisma/client.js'
import { databaseFailure } from './errors.js'

/** Columns that no read returns unless they are selected by name. */
const secretColumns = {
  apiKey: { secretHash: true },
  apiKeySession: { tokenHash: true },
  userToken: { tokenHash: true },
  signingKey: { key: true },
} as const

/** Prisma's client, without the secret columns. */
export type Prisma = PrismaClient<never, typeof secretColumns>

/** The tables as Prisma's models: the client, or a transaction of it. */
export type Models = Omit<Prisma, '$connect' | '$disconnect' | '$on' | '$transaction' | '$use' | '$extends'>

/** The most texts that Prisma may prepare per connection; lists of different lengths are different texts. */
const MAX_PREPARED = 500

/** Makes Prisma's client on a pool, which it does not close. */
export function createPrisma(pool: pg.Pool, statementNames: boolean): Prisma {
  const factory = new PrismaPg(pool, statementNames ? { statementNameGenerator: createStatementNames() } : {})
  const adapter = {
    provider: 'postgres' as const,
    adapterName: factory.adapterName,
    connect: async () => withFreshStatements(withHonestCommits(await factory.connect())),
  }
  return new PrismaClient({ adapter, omit: secretColumns })
}

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>

/** Repeats a statement outside of transactions once if the connection had it outdated: nothing was done. */
function withFreshStatements(adapter: Adapter): Adapter {
  const { queryRaw, executeRaw } = adapter
  const again = async <T>(send: () => Promise<T>): Promise<T> => {
    try {
      return await send()
    } catch (error) {
      if (databaseFailure(error)?.kind !== 'stale_statement') throw error
      return send()
    }
  }
  adapter.queryRaw = (query) => again(() => queryRaw.call(adapter, query))
  adapter.executeRaw = (query) => again(() => executeRaw.call(adapter, query))
  return adapter
}

/**
 * A transaction in which a statement has failed is rolled back by PostgreSQL when it is told to commit, without an
 * error: if the work has hidden the failure, the commit fails instead.
 */
function withHonestCommits(adapter: Adapter): Adapter {
  const { startTransaction } = adapter
  adapter.startTransaction = async (isolationLevel) => {
    const transaction = await startTransaction.call(adapter, isolationLevel)
    const { queryRaw, executeRaw } = transaction
    let failed = false
    const noted = async <T>(sent: Promise<T>): Promise<T> => {
      try {
        return await sent
      } catch (error) {
        failed = true
        throw error
      }
    }
    transaction.queryRaw = (query) => noted(queryRaw.call(transaction, query))
    transaction.executeRaw = async (query) => {
      if (!failed || query.sql !== 'COMMIT') return noted(executeRaw.call(transaction, query))
      await executeRaw.call(transaction, { ...query, sql: 'ROLLBACK' })
      throw new Error('a failed transaction cannot be committed')
    }
    return transaction
  }
  return adapter
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
