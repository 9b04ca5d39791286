import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { HttpServer } from '../../src/http/server.js'
import { createTestServer } from '../support/http-server.js'

describe('pipelined requests over HTTP/1.1', () => {
  let server: HttpServer
  let port: number
  let socket: Socket
  /** The paths whose answers have begun, and the most that were being answered at a time. */
  let begun: string[]
  let mostAtOnce: number
  let turns: number

  beforeEach(async () => {
    begun = []
    mostAtOnce = 0
    turns = 0
    let running = 0
    let isCounted = false
    server = createTestServer((request, response) => {
      const path = request.url ?? ''
      begun.push(path)
      mostAtOnce = Math.max(mostAtOnce, ++running)
      if (!isCounted) {
        turns++
        isCounted = true
        setImmediate(() => {
          isCounted = false
        })
      }
      response.once('close', () => running--)
      if (path.startsWith('/slow')) setTimeout(() => response.end(path), 20)
      else response.end(path)
    })
    port = (await server.listen(0, '127.0.0.1')).port
    socket = connect(port, '127.0.0.1')
    socket.on('error', () => {}) // That it was closed shows in what has come.
  })

  afterEach(async () => {
    socket.destroy()
    await server.close({ drainMillis: 0, graceMillis: 0, onGraceOver: () => {} })
  })

  const pathsOf = (count: number, name: string) => Array.from({ length: count }, (_, index) => `/${name}${index}`)
  const requestsOf = (paths: readonly string[]) =>
    paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: svc\r\n\r\n`).join('')
  /** Sends the requests in one packet, and returns the statuses of the answers until the connection ends or is quiet. */
  const send = async (paths: readonly string[], answers: number): Promise<string[]> => {
    let received = ''
    socket.on('data', (chunk) => {
      received += String(chunk)
    })
    socket.write(requestsOf(paths))
    const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status ?? '')
    const closed = once(socket, 'close')
    while (statuses().length < answers) await Promise.race([sleep(5), closed])
    return statuses()
  }

  it.each(['at-once', 'slow'])('are answered one by one, in order, each after the previous one: %s', async (name) => {
    const paths = pathsOf(32, name)
    expect(await send(paths, 32)).toEqual(Array(32).fill('200'))
    expect([begun, mostAtOnce, turns]).toEqual([paths, 1, 32])
    socket.removeAllListeners('data')
    expect(await send(pathsOf(2, name), 2)).toEqual(['200', '200'])
  })

  it('close the connection if there are more than 32', async () => {
    const closed = once(socket, 'close')
    socket.write(requestsOf(pathsOf(500, 'slow')))
    await closed
    expect(begun).toEqual(['/slow0'])
  })

  it('are not started once the client has disconnected', async () => {
    socket.write(requestsOf(pathsOf(10, 'slow')))
    while (begun.length < 2) await sleep(1)
    socket.resetAndDestroy()
    await sleep(300)
    expect(begun.length).toBeLessThan(5)
  })
})
