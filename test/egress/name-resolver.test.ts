import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createNameResolver } from '../../src/egress/name-resolver.js'

/** The question and its type of a query of the DNS (RFC 1035, section 4.1). */
function questionOf(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** An answer with at most one address. */
function answerTo(query: Buffer, end: number, type: number, address: readonly number[]): Buffer {
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(0x8180, 2)
  head.writeUInt32BE(0x1_0000 + (address.length > 0 ? 1 : 0), 4)
  head.writeUInt32BE(0, 8)
  const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length, ...address])
  return Buffer.concat([head, query.subarray(12, end), address.length > 0 ? record : Buffer.alloc(0)])
}

describe('names of receivers', () => {
  let server: Socket
  let resolve: (name: string, signal?: AbortSignal) => Promise<readonly string[]>
  let folder: string
  beforeAll(async () => {
    server = createSocket('udp4').bind(0, '127.0.0.1')
    await once(server, 'listening')
    server.on('message', (query, { port }) => {
      const { name, type, end } = questionOf(query)
      const addresses: Record<string, number[]> = {
        'both.test 1': [192, 0, 2, 1],
        'both.test 28': [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
        'four.test 1': [192, 0, 2, 4],
      }
      if (name.startsWith('silent')) return
      const answer = answerTo(query, end, type, addresses[`${name} ${type}`] ?? [])
      // Sooner than a name is given up by itself.
      setTimeout(() => server.send(answer, port, '127.0.0.1'), name === 'late.test' ? 1_000 : 0)
    })
    folder = await mkdtemp(join(tmpdir(), 'svc-names-'))
    const hostsFile = join(folder, 'hosts')
    await writeFile(hostsFile, '# 10.0.0.9 none.test\n10.0.0.1  here.test Also.Here.test # own\n::1 here.test\n')
    const resolveName = createNameResolver({ servers: [`127.0.0.1:${server.address().port}`], hostsFile })
    resolve = (name, signal = new AbortController().signal) => resolveName(name, signal)
  })
  afterAll(async () => {
    await new Promise<void>((done) => server.close(done))
    await rm(folder, { recursive: true })
  })

  it.each([
    ['both.test', ['2001:db8::1', '192.0.2.1']],
    ['four.test', ['192.0.2.4']],
    ['here.test', ['10.0.0.1', '::1']],
    ['also.here.test', ['10.0.0.1']],
  ])('%s has the addresses %s', async (name, addresses) => {
    expect(await resolve(name)).toEqual(addresses)
  })

  it('that do not exist have none', async () => {
    expect(await resolve('none.test')).toEqual([])
  })

  it('that nobody answers for are given up with the signal, and leave nothing behind', async () => {
    const ending = new AbortController()
    const late = resolve('late.test')
    const silent = resolve('silent.test', ending.signal)
    setTimeout(() => ending.abort(), 50)
    expect(await Promise.race([late.then(() => 'late'), silent])).toEqual([])
    expect(await late).toEqual([])
  })

  it('that nobody answers for keep no other one waiting, nor a file', async () => {
    const silent = Array.from({ length: 16 }, (_, index) => resolve(`silent-${index}.test`))
    const first = await Promise.race([
      ...silent,
      resolve('four.test').then(() => readFile('/etc/hosts').then(() => 'file')),
    ])
    expect(first).toBe('file')
    expect((await Promise.all(silent)).flat()).toEqual([])
  })
})
