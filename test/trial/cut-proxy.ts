import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** Where a connection is cut: after so many bytes of what is sent, or of what is answered. */
export interface Cut {
  readonly of: 'request' | 'response'
  readonly after: number
  /** Whether both ends see a reset, else an orderly end. */
  readonly isReset: boolean
}

/** How many bytes a connection has carried. */
export interface Carried {
  readonly request: number
  readonly response: number
}

/** A TCP proxy before a service that cuts single connections. */
export interface CutProxy {
  readonly port: number
  /** A new connection through the proxy, which is cut where asked. `carried` says how much when it has ended. */
  open(cut?: Cut): Promise<{ readonly socket: Socket; readonly carried: Promise<Carried> }>
  close(): Promise<void>
}

interface Plan {
  readonly cut: Cut | undefined
  readonly onEnd: (carried: Carried) => void
}

/** Starts a proxy before a port of this machine. */
export async function startCutProxy(servicePort: number): Promise<CutProxy> {
  // By the port from which the caller came.
  const plans = new Map<number, Plan>()
  const sockets = new Set<Socket>()
  const server = createServer((caller) => {
    const service = connect(servicePort, '127.0.0.1')
    for (const socket of [caller, service]) {
      sockets.add(socket)
      socket.setNoDelay(true).once('close', () => sockets.delete(socket))
      socket.on('error', () => socket.destroy())
    }
    caller.once('data', (first: Buffer) => {
      const plan = plans.get(caller.remotePort ?? 0)
      if (plan === undefined) throw new Error('a connection through the proxy was not announced')
      carry(caller, service, plan, first)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    port,
    open: async (cut) => {
      const socket = connect(port, '127.0.0.1').setNoDelay(true)
      const carried = new Promise<Carried>((resolve) => {
        socket.once('connect', () => plans.set(socket.localPort ?? 0, { cut, onEnd: resolve }))
      })
      await once(socket, 'connect')
      return { socket, carried }
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function carry(caller: Socket, service: Socket, { cut, onEnd }: Plan, first: Buffer): void {
  const carried = { request: 0, response: 0 }
  const end = () => {
    for (const socket of [caller, service]) {
      if (cut?.isReset === true) socket.resetAndDestroy()
      else socket.destroySoon()
    }
  }
  const pass = (direction: Cut['of'], to: Socket) => (bytes: Buffer) => {
    const left = cut?.of === direction ? cut.after - carried[direction] : Number.POSITIVE_INFINITY
    const passed = bytes.subarray(0, left)
    carried[direction] += passed.length
    if (to.writable && passed.length > 0) to.write(passed, () => passed.length === left && end())
    else if (left === 0) end()
  }
  const send = pass('request', service)
  caller.on('data', send)
  service.on('data', pass('response', caller))
  caller.once('close', () => {
    service.destroySoon()
    onEnd(carried)
  })
  service.once('close', () => caller.destroySoon())
  send(first)
}
