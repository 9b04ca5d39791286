import type { Database } from './sql.js'
import { isOfFeed } from './statement-count.js'
import { statements } from './statements.js'

/** What was sent in one transaction: Prisma's, or one that bypasses it. */
export interface SentTransaction {
  readonly transaction: 'Prisma' | 'past Prisma'
  readonly sent: string[]
}

/**
 * A call of a model, such as `priority.update`, a statement by its name, such as `update_priority`, or any other text as
 * is.
 */
export type Sent = string | SentTransaction

/** Records what a handle sends. */
export interface SentQueries {
  /** Returns what was sent since the last call, in order. */
  take(): Sent[]
}

/** What a service sends besides calls. */
const inBackground =
  /^(?:delete_revoke_attempts|apiKey\.updateMany$|(?:apiKeySession|userToken|idempotencyKey)\.(?:findMany|deleteMany)|organization\.findMany)/
const controlsTransaction = /^(?:SAVEPOINT|RELEASE|ROLLBACK TO|SET) /

const namesByText = new Map([...statements.values()].map(({ name, text }) => [text, name]))

/** Watches the connections of a handle and the calls of Prisma's client. Calls must come one at a time. */
export function watchSentQueries({ pool, prisma }: Pick<Database, 'pool' | 'prisma'>): SentQueries {
  let sent: Sent[] = []
  /** Those in progress, the first one first: that of a call, and what the feed does beside it until recognized. */
  const transactions = new Map<object, SentTransaction>()
  const record = (name: string, connection?: object) => {
    if (isOfFeed.test(name)) {
      if (connection !== undefined) transactions.delete(connection)
      return
    }
    const [first] = transactions.values()
    const transaction = connection === undefined ? first : transactions.get(connection)
    const isFirst = transaction === undefined || transaction.sent.length === 0
    if (isFirst && inBackground.test(name)) return
    if (isFirst) sent.push(transaction ?? name)
    transaction?.sent.push(name)
  }
  const isPrismas = watchTransactions(prisma)
  watchConnections(pool, ({ name, text, isOfPrisma }, connection) => {
    if (text.startsWith('BEGIN')) {
      transactions.set(connection, { transaction: isPrismas() ? 'Prisma' : 'past Prisma', sent: [] })
    } else if (text === 'COMMIT' || text === 'ROLLBACK') transactions.delete(connection)
    else if (!isOfPrisma && !controlsTransaction.test(text)) {
      record(namesByText.get(text) ?? (name || text), connection)
    }
  })
  watchModels(prisma, record)
  return {
    take: () => {
      const taken = sent
      sent = []
      return taken
    },
  }
}

interface SentQuery {
  readonly name: string
  readonly text: string
  readonly isOfPrisma: boolean
}

type Send = (...values: unknown[]) => unknown

function watchConnections(pool: Database['pool'], report: (query: SentQuery, connection: object) => void): void {
  const watched = new WeakSet<object>()
  pool.on('acquire', (client) => {
    if (watched.has(client)) return
    watched.add(client)
    const send: Send = client.query.bind(client)
    const watchedSend: Send = (...values) => {
      report(queryFrom(values[0]), client)
      return send(...values)
    }
    Object.assign(client, { query: watchedSend })
  })
}

/** Of all that use the pool, only Prisma's adapter asks for rows as arrays. */
function queryFrom(sent: unknown): SentQuery {
  if (typeof sent === 'string') return { name: '', text: sent, isOfPrisma: false }
  const { name = '', text = '', rowMode }: Readonly<Record<string, string | undefined>> = Object(sent)
  return { name, text, isOfPrisma: rowMode === 'array' }
}

/** Whether a transaction of Prisma's is in progress. */
function watchTransactions(prisma: Database['prisma']): () => boolean {
  let running = 0
  const { $transaction } = prisma
  Object.defineProperty(prisma, '$transaction', {
    value: async (...values: unknown[]) => {
      running++
      try {
        return await Reflect.apply($transaction, prisma, values)
      } finally {
        running--
      }
    },
  })
  return () => running > 0
}

/** A call as Prisma's client passes it on, within transactions, too: private, but the same for every operation. */
interface PrismaRequest {
  readonly model?: string
  readonly action: string
}

function watchModels(prisma: Database['prisma'], report: (name: string) => void): void {
  const pass: unknown = Reflect.get(prisma, '_request')
  if (typeof pass !== 'function') throw new Error('the client of Prisma passes calls on in another way')
  Object.defineProperty(prisma, '_request', {
    value(this: unknown, request: PrismaRequest) {
      const { model, action } = request
      report(model === undefined ? `$${action}` : `${model.charAt(0).toLowerCase()}${model.slice(1)}.${action}`)
      return Reflect.apply(pass, this, [request])
    },
  })
}
