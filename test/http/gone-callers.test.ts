import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { expect, it } from '@jest/globals'
import type { HttpServer } from '../../src/http/server.js'
import { readTlsIdentity } from '../../src/http/tls-identity.js'
import { createCertificateFiles } from '../support/certificate-files.js'
import { eventually } from '../support/eventually.js'
import { createTestServer } from '../support/http-server.js'

const http1 = Buffer.from('POST / HTTP/1.1\r\nhost: svc\r\ncontent-length: 9\r\n\r\nhalf')
// The preface, empty settings, and the header of `POST /` to `svc`, whose body is still to come.
const http2 = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 8, 1, 4, 0, 0, 0, 1, 0x83, 0x86, 0x84, 1, 3, 115, 118, 99]),
])

it.each([
  { what: 'a call over HTTP/1.1', bytes: http1, calls: 1 },
  { what: 'a call over HTTP/2', bytes: http2, calls: 1 },
  { what: 'a call over HTTP/2 and TLS', bytes: http2, calls: 1, isSecure: true },
  { what: 'the beginning of a preface', bytes: Buffer.from('P'), calls: 0 },
  { what: 'nothing', bytes: Buffer.alloc(0), calls: 0 },
])(
  'a connection that carries $what ends, with its call, when its caller disconnects',
  async ({ bytes, calls, isSecure }) => {
    const files = isSecure === true ? await createCertificateFiles() : undefined
    const identity = files === undefined ? {} : { identity: await readTlsIdentity(files) }
    let [begun, ended] = [0, 0]
    const server = createTestServer((_, response) => {
      begun++
      response.once('close', () => ended++)
    }, identity)
    const { port } = await server.listen(0, '127.0.0.1')
    try {
      const socket =
        files === undefined
          ? connect(port, '127.0.0.1')
          : connectTls({ port, host: '127.0.0.1', ALPNProtocols: ['h2'], rejectUnauthorized: false })
      await once(socket.resume(), files === undefined ? 'connect' : 'secureConnect')
      socket.write(bytes)
      await eventually(() => expect([begun, connectionsOf(server)]).toEqual([calls, 1]))
      socket.end()
      await eventually(() => expect([ended, connectionsOf(server)]).toEqual([calls, 0]))
    } finally {
      await server.close({ drainMillis: 0, graceMillis: 0, onGraceOver: () => undefined })
      await files?.remove()
    }
  },
)

function connectionsOf(server: HttpServer): number {
  const { http1, http2 } = server.traffic()
  return http1 + http2
}
