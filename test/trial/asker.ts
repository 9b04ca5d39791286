import { connect, type Socket } from 'node:net'

/** What an answer says. */
export interface Answer {
  /** 0 if the connection ended instead. */
  readonly status: number
  /** When a refused caller may come back. */
  readonly retryAfterSeconds: number
}

const UNANSWERED: Answer = { status: 0, retryAfterSeconds: 1 }

/** Opens a connection to a port of this machine. */
export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket)).setNoDelay(true)
    socket.once('error', reject)
  })
}

/** Sends one whole request of HTTP/1.1 after the other on a connection, and waits for the end of its answer. */
export function createAsker(socket: Socket): (request: string) => Promise<Answer> {
  let received = ''
  let resolveAnswer: (answer: Answer) => void = () => {}
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
    const head = received.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = Number(/content-length: (\d+)/i.exec(received.slice(0, head))?.[1])
    if (received.length < head + 4 + length) return
    const retryAfterSeconds = Number(/retry-after: (\d+)/i.exec(received.slice(0, head))?.[1] ?? 1)
    resolveAnswer({ status: Number(received.slice(9, 12)), retryAfterSeconds })
    received = ''
  })
  socket.on('error', () => {}).on('close', () => resolveAnswer(UNANSWERED))
  return (request) =>
    new Promise((resolve) => {
      resolveAnswer = resolve
      if (socket.destroyed) resolve(UNANSWERED)
      else socket.write(request)
    })
}
