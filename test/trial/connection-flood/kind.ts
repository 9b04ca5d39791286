/** What a client sends on a connection, again and again, on purpose. */
export interface FloodKind {
  readonly name: string
  readonly version: 'HTTP/1.1' | 'HTTP/2'
  /** Sent once on each connection. */
  readonly begin: Uint8Array
  /** Sent after it as often as the connection takes it; without it the connection is reset, and a new one is made. */
  readonly again?: Uint8Array
  /** Whether the client leaves the answers in its buffers. */
  readonly isDeaf?: boolean
}
