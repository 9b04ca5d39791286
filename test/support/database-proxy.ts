import { once } from 'node:events'
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

/** A proxy in front of a database, which a test can block and open again. */
export interface DatabaseProxy {
  readonly connectionString: string
  /** Cuts every connection and refuses new ones, like a server that is down. */
  cut(): Promise<void>
  /** Forwards nothing but keeps connections open, like a network that loses all packets. */
  stall(): void
  /** Forwards again, including what was delayed. */
  resume(): void
  /** Accepts connections again. */
  mend(): Promise<void>
  close(): Promise<void>
}

/** Starts a proxy in front of the database of the URL. */
export async function startDatabaseProxy(connectionString: string): Promise<DatabaseProxy> {
  const sockets = new Map<Socket, Socket>()
  let stalled = false
  const server = createServer((client) => {
    const upstream = connect(databaseAddress(connectionString))
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.set(from, to)
      from.on('error', () => to.destroy()).once('close', () => sockets.delete(from) && to.destroy())
      if (stalled) from.pause()
      else from.pipe(to)
    }
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }
  const port = await listen(0)
  const cut = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets.keys()) socket.destroy()
    await closed
  }
  const url = new URL(connectionString)
  const through = new URL(`postgresql://${url.username}@127.0.0.1:${port}${url.pathname}`)
  if (url.password !== '') through.password = url.password
  return {
    connectionString: through.href,
    cut,
    stall: () => {
      stalled = true
      for (const socket of sockets.keys()) socket.unpipe().pause()
    },
    resume: () => {
      stalled = false
      for (const [from, to] of sockets) from.pipe(to)
    },
    mend: async () => {
      stalled = false
      // Stalled connections are not resumed: both ends have long given up.
      for (const socket of sockets.keys()) socket.destroy()
      if (!server.listening) await listen(port)
    },
    close: async () => {
      if (server.listening) await cut()
    },
  }
}

/** Where the server of a URL listens: a TCP port, or the socket in the folder that `host` names. */
export function databaseAddress(connectionString: string): NetConnectOpts {
  const url = new URL(connectionString)
  const port = Number(url.port || url.searchParams.get('port') || 5432)
  const folder = url.searchParams.get('host')
  return folder?.startsWith('/') ? { path: `${folder}/.s.PGSQL.${port}` } : { host: url.hostname, port }
}
