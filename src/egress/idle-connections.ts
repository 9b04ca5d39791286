import type { Agent } from 'node:http'
import type { Duplex } from 'node:stream'
import { Semaphore } from '../runtime/semaphore.js'

/** Bounds how many idle connections agents keep. Each is its organization's that used it last. */
export function createIdleConnections(most: number) {
  const semaphore = new Semaphore(most)
  const users = new WeakMap<Duplex, string>()
  const idle = new Set<Duplex>()
  const takeBack = (socket: Duplex) => {
    if (idle.delete(socket)) semaphore.release(users.get(socket))
  }
  return {
    /** Notes who uses a connection. */
    use: (socket: Duplex, organizationId: string) => {
      if (!users.has(socket)) socket.once('close', () => takeBack(socket))
      users.set(socket, organizationId)
    },
    /** Lets an agent close a connection that is not used any more if there are too many. */
    bound: (agent: Agent) => {
      const { keepSocketAlive, reuseSocket } = agent
      agent.keepSocketAlive = (socket): boolean => {
        const of = users.get(socket)
        // It returns whether the receiver keeps the connection, which its type does not say.
        const isKept: unknown = semaphore.roomFor(of) > 0 && Reflect.apply(keepSocketAlive, agent, [socket])
        if (isKept !== true) return false
        void semaphore.acquire({ of })
        idle.add(socket)
        return true
      }
      agent.reuseSocket = (socket, request) => {
        takeBack(socket)
        reuseSocket.call(agent, socket, request)
      }
    },
  }
}
