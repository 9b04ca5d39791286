import type { Socket } from 'node:net'
import pg from 'pg'

declare module 'pg' {
  interface Connection {
    connect(port: number, host: string): void
    connect(path: string): void
    requestSsl(): void
    cancel(processId: number, secretKey: number): void
  }
  interface Client {
    /** What the server, or a pooler before it, wants to hear in order to cancel; null until it has said so. */
    readonly processID: number | null
    readonly secretKey: number | null
  }
}

/** How a request to cancel is sent. */
export interface CancelOptions {
  /** Makes the socket for it. */
  readonly stream: () => Socket
  readonly timeoutMillis: number
}

/**
 * Asks the server to cancel what runs on a connection (CancelRequest of PostgreSQL's protocol, which poolers pass on).
 * Resolves with whether the server has taken the request: then it cannot come later, and so cannot hit a later statement.
 */
export function requestCancel(client: pg.Client, { stream, timeoutMillis }: CancelOptions): Promise<boolean> {
  const { host, port, ssl, processID, secretKey } = client
  if (processID === null || secretKey === null) return Promise.resolve(false)
  const socket = stream()
  const config: pg.ConnectionConfig = { ssl, stream: () => socket }
  const connection = new pg.Connection(config)
  return new Promise((resolve) => {
    let isSent = false
    const send = () => {
      isSent = true
      connection.cancel(processID, secretKey)
    }
    const timer = setTimeout(() => {
      isSent = false
      socket.destroy()
    }, timeoutMillis)
    connection.on('connect', () => (ssl ? connection.requestSsl() : send()))
    connection.on('sslconnect', send)
    connection.on('error', () => {
      isSent = false
    })
    // The server answers by closing the connection.
    connection.on('end', () => {
      clearTimeout(timer)
      resolve(isSent)
    })
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
    else connection.connect(port, host)
  })
}
