import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { databaseAddress } from '../support/database-proxy.js'

/** A proxy in front of a database that behaves like a bad network. */
export interface LossyProxy {
  readonly connectionString: string
  /** Delivers everything so much later, in each direction. */
  delay(millis: number): void
  /** Resets one connection, chosen at random; false if there is none. */
  resetOne(): boolean
  close(): Promise<void>
}

/** Starts one in front of the database of the URL. */
export async function startLossyProxy(connectionString: string): Promise<LossyProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let millis = 0
  const pass = (from: Socket, to: Socket) => {
    let last: Promise<unknown> = Promise.resolve()
    from.on('data', (bytes: Buffer) => {
      const due = wait(millis)
      last = Promise.all([last, due]).then(() => to.writable && to.write(bytes))
    })
  }
  const server = createServer((client) => {
    const upstream = connect(databaseAddress(connectionString))
    const pair = [client, upstream] as const
    pairs.add(pair)
    for (const [from, to] of [pair, [upstream, client] as const]) {
      pass(from, to)
      from
        .on('error', () => to.destroy())
        .once('close', () => {
          pairs.delete(pair)
          to.destroy()
        })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(connectionString)
  const through = new URL(`postgresql://${url.username}@127.0.0.1${url.pathname}`)
  through.port = String(typeof address === 'object' && address !== null ? address.port : 0)
  if (url.password !== '') through.password = url.password
  return {
    connectionString: through.href,
    delay: (later) => {
      millis = later
    },
    resetOne: () => {
      const all = [...pairs]
      const pair = all[Math.floor(Math.random() * all.length)]
      // What leads to the database may be no TCP socket.
      pair?.[0].resetAndDestroy()
      pair?.[1].destroy()
      return pair !== undefined
    },
    close: async () => {
      for (const pair of pairs) for (const socket of pair) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
