import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { FloodKind } from './kind.js'

/** Connections of a kind at a time. */
const AT_ONCE = 4
/** How long a client that has sent everything waits for the response. */
const ANSWER_MILLIS = 50
const FRAME_HEAD_BYTES = 9
const HEADERS = 1

/** What a flood came to. */
export interface FloodOutcome {
  readonly connections: number
  readonly sentBytes: number
  /** Answers of 5xx. */
  readonly serverErrors: number
}

/** Sends a flood over a few connections at once for so long. */
export async function sendFlood(kind: FloodKind, port: number, millis: number): Promise<FloodOutcome> {
  const end = performance.now() + millis
  const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, () => sendUntil(kind, port, end)))
  const sumOf = (count: (outcome: FloodOutcome) => number) => outcomes.reduce((sum, each) => sum + count(each), 0)
  return {
    connections: sumOf(({ connections }) => connections),
    sentBytes: sumOf(({ sentBytes }) => sentBytes),
    serverErrors: sumOf(({ serverErrors }) => serverErrors),
  }
}

async function sendUntil(kind: FloodKind, port: number, end: number): Promise<FloodOutcome> {
  const outcome = { connections: 0, sentBytes: 0, serverErrors: 0 }
  while (performance.now() < end) {
    const socket = connect(port, '127.0.0.1').setNoDelay(true).setMaxListeners(0)
    const received: Buffer[] = []
    socket.on('error', () => undefined)
    if (kind.isDeaf === true) socket.pause()
    else socket.on('data', (chunk: Buffer) => received.push(chunk))
    const closed = new AbortController()
    socket.once('close', () => closed.abort())
    outcome.connections++
    outcome.sentBytes += await sendOn(socket, kind, end, closed.signal)
    socket.resetAndDestroy()
    const bytes = Buffer.concat(received)
    outcome.serverErrors += kind.version === 'HTTP/2' ? serverErrorsOfFrames(bytes) : serverErrorsOfText(bytes)
  }
  return outcome
}

/** Returns how many bytes were sent. */
async function sendOn(socket: Socket, { begin, again }: FloodKind, end: number, closed: AbortSignal): Promise<number> {
  const signal = AbortSignal.any([closed, AbortSignal.timeout(Math.max(1, Math.ceil(end - performance.now())))])
  let sent = 0
  try {
    await once(socket, 'connect', { signal })
    socket.write(begin)
    sent += begin.length
    if (again === undefined) {
      const answered = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MILLIS)])
      await once(socket, 'end', { signal: answered })
    }
    while (again !== undefined && performance.now() < end) {
      sent += again.length
      if (!socket.write(again)) await once(socket, 'drain', { signal })
    }
  } catch (error) {
    // The service has let go of the connection, or the time is over.
    if (!(error instanceof Error) || (error.name !== 'AbortError' && !('code' in error))) throw error
  }
  return sent
}

function serverErrorsOfText(bytes: Buffer): number {
  return bytes.toString('latin1').match(/HTTP\/1\.1 5\d\d /g)?.length ?? 0
}

/** Counts header blocks that begin with a status of 5xx (RFC 7541): index 14, or a text, also in Huffman's code. */
function serverErrorsOfFrames(bytes: Buffer): number {
  let count = 0
  for (let at = 0; at + FRAME_HEAD_BYTES <= bytes.length; ) {
    const length = bytes.readUIntBE(at, 3)
    const [status = 0, coded = 0, digit = 0] = bytes.subarray(at + FRAME_HEAD_BYTES, at + FRAME_HEAD_BYTES + 3)
    const isText = status === 0x48 || status === 0x08
    const isFive = coded >= 0x80 ? digit >> 2 === 0x1b : digit === 0x35
    if (bytes[at + 3] === HEADERS && (status === 0x8e || (isText && isFive))) count++
    at += FRAME_HEAD_BYTES + length
  }
  return count
}
