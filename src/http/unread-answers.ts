import type { Socket } from 'node:net'
import { cutResponse, type NodeResponse } from '../call/node-http.js'

/** A response, or what will be one. */
export interface Answering {
  readonly response: NodeResponse
  /** Undefined if its connection is over. */
  readonly socket: Socket | undefined
}

/** Since when nothing more of a response has been taken, and what was waiting then. */
interface Standstill {
  readonly since: number
  readonly waitingBytes: number
  readonly deliveredBytes: number
}

/** Who reads a response slower than this counts as not reading. */
const BYTES_PER_SECOND = 32 * 1024

/**
 * Makes a function that is to be called now and then with all responses, and cuts those that their clients do not read:
 * a client of HTTP/2 can open its windows to nothing, and one of HTTP/1.1 can leave its socket unread, for as long as
 * it likes. A response is kept for `patienceMillis` after the last sign that it is being read.
 */
export function createUnreadCut(patienceMillis: number): (answers: Iterable<Answering>) => void {
  const standstills = new WeakMap<NodeResponse, Standstill>()
  const cut = new WeakSet<NodeResponse>()
  return (answers) => {
    const now = performance.now()
    for (const { response, socket } of answers) {
      const waitingBytes = response.writableLength
      // Of HTTP/2, Node counts a piece as written when it is handed to the system, which may not have taken it yet.
      const deliveredBytes = socket === undefined ? 0 : socket.bytesWritten - socket.writableLength
      const standstill = standstills.get(response)
      // Where the client takes nothing at all, no reset of a stream has reached it.
      if (cut.has(response)) socket?.destroy()
      else if (waitingBytes === 0) standstills.delete(response)
      else if (standstill === undefined || waitingBytes < standstill.waitingBytes) {
        standstills.set(response, { since: now, waitingBytes, deliveredBytes })
      } else if (isUnread(standstill, now - standstill.since, deliveredBytes)) {
        cut.add(response)
        cutResponse(response)
      }
    }
  }

  function isUnread({ waitingBytes, deliveredBytes: before }: Standstill, millis: number, delivered: number): boolean {
    // A long body leaves Node as one piece: what its connection has delivered shows that someone reads.
    const expectedBytes = ((millis - patienceMillis) * BYTES_PER_SECOND) / 1_000
    return expectedBytes > 0 && (delivered - before < expectedBytes || waitingBytes < expectedBytes)
  }
}
