import pg from 'pg'
import type { Database } from '../src/db/database.js'
import type { TablesUser } from '../src/db/tables.js'

/** What a coordinator has sent to the workers. */
export interface RemoteCommands {
  /** The workers, in order. */
  readonly nodes: readonly string[]
  /** How many messages. */
  readonly count: number
  /** Whether a transaction was committed in two phases. */
  readonly isPrepared: boolean
  readonly texts: readonly string[]
  /** What any node warned of. */
  readonly warnings: readonly string[]
}

/** Has the sessions of a distributed database log what the coordinator sends; to be called before they begin. */
export async function logRemoteCommands(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`ALTER DATABASE ${client.database} SET citus.log_remote_commands = on`)
  await client.end()
}

/** Watches the sessions of a handle. Returns what was sent for them since the last call. */
export function watchRemoteCommands({ pool }: Pick<Database, 'pool'>): () => RemoteCommands {
  let sent: { readonly node: string; readonly text: string }[] = []
  let warnings: string[] = []
  pool.on('connect', (client) => {
    client.on('notice', ({ message = '', detail = '', severity }) => {
      if (severity === 'WARNING') warnings.push(message)
      const [, text] = /^issuing (.*)/s.exec(message) ?? []
      const [, node] = /@(\S+)/.exec(detail) ?? []
      if (text !== undefined && node !== undefined) sent.push({ node, text })
    })
  })
  return () => {
    const [taken, warned] = [sent, warnings]
    sent = []
    warnings = []
    return {
      warnings: warned,
      nodes: [...new Set(taken.map(({ node }) => node))].toSorted(),
      count: taken.length,
      isPrepared: taken.some(({ text }) => text.startsWith('PREPARE TRANSACTION')),
      texts: taken.map(({ text }) => text.slice(0, 120)),
    }
  }
}

/** Makes a handle that runs background work on another one, so that only the statements of calls are counted. */
export function callsApart<Handle extends Database>(database: Handle, background: Database): Handle {
  const isOfCall = ({ call, organizationId, timeoutMillis }: TablesUser) =>
    call !== undefined || organizationId !== undefined || timeoutMillis !== undefined
  return Object.assign(Object.create(database) as Handle, {
    tablesFor: (user: TablesUser) => (isOfCall(user) ? database : background).tablesFor(user),
  })
}
