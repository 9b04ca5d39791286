import type { Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import type { TlsIdentity } from './tls-identity.js'

/** Does the handshakes of connections. */
export interface TlsListener {
  /** Begins the handshake of a connection that was accepted. One that fails or takes too long is closed. */
  secure(plain: Socket): void
  /** Shows another certificate to connections from now on; those that are open stay unchanged. */
  use(identity: TlsIdentity): void
}

/**
 * Creates the listener; it accepts nothing by itself. `handshakeTimeout` is in milliseconds. `onSecured` gets each
 * connection after its handshake, with the one that it came over.
 */
export function createTlsListener(
  identity: TlsIdentity,
  { handshakeTimeout, onSecured }: { handshakeTimeout: number; onSecured: (plain: Socket, secured: TLSSocket) => void },
): TlsListener {
  const { cert, key } = identity
  const server = createServer({ cert, key, handshakeTimeout, ALPNProtocols: ['h2', 'http/1.1'], noDelay: true })
  /** By the address of the other side, which only one open connection has. */
  const shaking = new Map<string, Socket>()
  server.on('secureConnection', (secured) => {
    const plain = shaking.get(addressOf(secured))
    // Without it, the connection has been closed during the last step of the handshake.
    if (plain === undefined) secured.destroy()
    else onSecured(plain, secured)
  })
  return {
    secure: (plain) => {
      const address = addressOf(plain)
      shaking.set(address, plain)
      plain.once('close', () => {
        if (shaking.get(address) === plain) shaking.delete(address)
      })
      server.emit('connection', plain)
    },
    use: (next) => server.setSecureContext({ cert: next.cert, key: next.key }),
  }
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
