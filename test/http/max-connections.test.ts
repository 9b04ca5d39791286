import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { HttpServer } from '../../src/http/server.js'
import { eventually } from '../support/eventually.js'
import { createTestServer } from '../support/http-server.js'

describe('a server with a limit of two connections', () => {
  let server: HttpServer
  let port: number
  const sockets: Socket[] = []

  beforeEach(async () => {
    server = createTestServer((_, response) => response.end('here'), { maxConnections: 2 })
    port = (await server.listen(0, '127.0.0.1')).port
  })

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await server.close({ drainMillis: 0, graceMillis: 0, onGraceOver: () => {} })
  })

  /** What a connection gets for a request: the status line, or nothing where it is closed. */
  const ask = async (): Promise<string> => {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {}) // That it was closed shows in what has come.
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
    const [first] = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])])
    return String(first).split('\r\n')[0] ?? ''
  }

  it('closes a third one at once, keeps the two, and accepts another when one has ended', async () => {
    expect([await ask(), await ask(), await ask()]).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK', ''])
    sockets[0]?.destroy()
    await eventually(async () => expect(await ask()).toBe('HTTP/1.1 200 OK'))
  })
})
