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
    /** The key with which the server, or a pooler before it, accepts a cancel request; null until it is sent. */
    readonly processID: number | null
    readonly secretKey: number | null
  }
}

/**
 * Asks the server to cancel the running statement of a connection (CancelRequest of PostgreSQL's protocol, which
 * poolers pass on). Resolves with whether the server has taken the request: then it cannot arrive late and hit a later
 * statement. `stream` creates the socket for it.
 */
export function requestCancel(client: pg.Client, stream: () => Socket, timeoutMillis: number): Promise<boolean> {
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
    const fail = () => {
      isSent = false
      socket.destroy()
    }
    const timer = setTimeout(fail, timeoutMillis)
    connection.on('connect', () => (ssl ? connection.requestSsl() : send()))
    connection.on('sslconnect', send).on('error', fail)
    // The server answers by closing the connection.
    connection.on('end', () => {
      clearTimeout(timer)
      resolve(isSent)
    })
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
    else connection.connect(port, host)
  })
}

/** How long a statement may outlive a request to cancel it before another is sent: the first may have overtaken it. */
const AGAIN_MILLIS = 200

/** For which call one connection works. A class, because every statement of a call uses one. */
export class CallStatements {
  readonly #cancel: () => Promise<boolean>
  #call: object | undefined
  #requested: Promise<boolean> | undefined
  #timer: NodeJS.Timeout | undefined

  /** `cancel` asks the server to cancel what runs, and resolves with whether the request can no longer come later. */
  constructor(cancel: () => Promise<boolean>) {
    this.#cancel = cancel
  }

  /** From here on the connection works for the call. */
  begin(call: object | undefined): void {
    this.#call = call
  }

  /** From here on nothing is canceled, such as a commit. */
  finish(): void {
    this.#call = undefined
    clearTimeout(this.#timer)
  }

  /** Cancels what runs for the call, until `finish`. */
  stop(call: object): void {
    if (this.#call === call && this.#requested === undefined) this.#request()
  }

  /**
   * Ends the use of the connection. Undefined if nothing was canceled; otherwise resolves with whether the connection
   * can be reused, once no request can hit its next user.
   */
  end(): Promise<boolean> | undefined {
    this.finish()
    const requested = this.#requested
    this.#requested = undefined
    return requested
  }

  #request(): void {
    const call = this.#call
    this.#requested = this.#cancel().then((isTaken) => {
      if (isTaken && call !== undefined && this.#call === call) {
        this.#timer = setTimeout(() => this.#request(), AGAIN_MILLIS)
      }
      return isTaken
    })
  }
}
