import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:http2'
import { type RequestOptions, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { freePort } from '../../harness/free-port.js'
import { scratchFolder } from '../../harness/scratch-folder.js'
import { parseTrustProxy } from '../../src/http/client-address.js'
import { createCertificate } from '../support/certificate.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

const root = join(import.meta.dirname, '../..')

/** Where a proxy runs, and before which service. */
interface Place {
  readonly folder: string
  readonly port: number
  readonly service: string
}

/** A request through the proxy. */
interface SentRequest extends Pick<RequestOptions, 'method' | 'path'> {
  readonly headers?: Readonly<Record<string, string>>
}

/** How each proxy runs its snippet, with its ports and files in place of those of a server. */
const proxies: Record<string, (place: Place, snippet: string) => Promise<ChildProcess>> = {
  'nginx.conf': async ({ folder, port, service }, snippet) => {
    const site = snippet
      .replaceAll('127.0.0.1:8080', service)
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replaceAll('/etc/nginx/', `${folder}/`)
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (each) => `${each}_temp_path ${folder}/${each};`,
    )
    const gzip = 'gzip on; gzip_types application/json; gzip_min_length 100;'
    const http = `http { access_log off; ${gzip} ${paths.join(' ')} ${site} }`
    const user = process.getuid?.() === 0 ? 'user root root;' : ''
    const file = join(folder, 'nginx.conf')
    await writeFile(file, `daemon off; pid ${folder}/nginx.pid; ${user} events {} ${http}`)
    return spawn('/usr/sbin/nginx', ['-c', file, '-e', join(folder, 'error.log')], { stdio: 'ignore' })
  },
  'haproxy.cfg': async ({ folder, port, service }, snippet) => {
    const file = join(folder, 'haproxy.cfg')
    const compression = '  compression algo gzip\n  compression type application/json\n'
    const site = snippet
      .replaceAll('127.0.0.1:8080', service)
      .replace('bind :443', `bind 127.0.0.1:${port}`)
      .replace('/etc/haproxy/', `${folder}/`)
      .replace('  mode http\n', `  mode http\n${compression}`)
    await writeFile(file, site)
    return spawn('/usr/sbin/haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  },
}

describe.each(Object.keys(proxies))('the service behind %s', (name) => {
  let service: TestService
  let folder: string
  let port: number
  let proxy: ChildProcess | undefined
  let admin: string
  let key: string
  beforeAll(async () => {
    service = await startTestService({ config: { trustProxy: parseTrustProxy('1') } })
    await insertFixture(service.database)
    admin = await insertUserToken(service.database, { userId: fixture.users.admin })
    key = (await insertApiKey(service.database, { organizationId: fixture.acme })).token
    folder = await mkdtemp(join(scratchFolder(), 'svc-proxy-'))
    const { cert, key: privateKey } = createCertificate()
    await writeFile(join(folder, 'svc.crt'), cert)
    await writeFile(join(folder, 'svc.key'), privateKey)
    await writeFile(join(folder, 'svc.pem'), `${cert}\n${privateKey}`)
    port = await freePort()
    const snippet = await readFile(join(root, 'deploy/proxies', name), 'utf8')
    const place = { folder, port, service: new URL(service.baseUrl).host }
    proxy = await proxies[name]?.(place, snippet)
    await eventually(async () => expect((await send({ path: '/healthz' })).statusCode).toBe(200))
  })
  afterAll(async () => {
    if (proxy !== undefined && proxy.exitCode === null) {
      proxy.kill()
      await once(proxy, 'exit')
    }
    await service.stop()
    await rm(folder, { recursive: true })
  })

  const send = async ({ headers = {}, ...options }: SentRequest, body = ''): Promise<IncomingMessage> => {
    const target = { port, host: '127.0.0.1', rejectUnauthorized: false, agent: false } as const
    const sent = request({ ...target, ...options, headers: { authorization: `Bearer ${admin}`, ...headers } })
    sent.end(body)
    const [response]: IncomingMessage[] = await once(sent, 'response')
    if (response === undefined) throw new Error('there is no response')
    return response
  }

  it.each(['application/x-ndjson', 'text/event-stream'])('streams events as they come, as %s', async (accept) => {
    const path = '/v2/events:watch?cursor=latest&types=priority.update'
    const headers = { accept, authorization: `Bearer ${key}`, 'accept-encoding': 'gzip;q=0' }
    const response = await send({ path, headers })
    let got = ''
    response.setEncoding('utf8').on('data', (part: string) => {
      got += part
    })
    await eventually(() => expect(got).toContain('"data":[]'))
    const json = { name: `Behind ${name} ${accept}` }
    await service.rest('PATCH', `/v2/priorities/${fixture.priorities.it}`, { token: admin, json })
    await eventually(() => expect(got).toContain('priority.update'))
    response.destroy()
  })

  it('streams events over gRPC, and ends with its status', async () => {
    const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
    const stream = session.request({
      ':method': 'POST',
      ':path': '/svc.v2.EventService/WatchEvents',
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization: `Bearer ${key}`,
      'grpc-timeout': '3000m',
    })
    stream.end(Buffer.alloc(5))
    const [headers] = await once(stream, 'response')
    expect(headers).toMatchObject({ ':status': 200, 'content-type': 'application/grpc+proto' })
    const ended = once(stream, 'trailers')
    await once(stream, 'data')
    stream.resume()
    expect((await ended)[0]).toMatchObject({ 'grpc-status': '0' })
    session.close()
  })

  it('updates what it has compressed, and made the tag of weak', async () => {
    // Too small for the service to compress it itself.
    const path = `/v2/priorities/${fixture.priorities.it}`
    const read = await send({ path, headers: { 'accept-encoding': 'gzip' } })
    read.resume()
    expect([read.headers['content-encoding'], read.headers.etag]).toEqual(['gzip', expect.stringMatching(/^W\//)])
    const headers = { 'if-match': read.headers.etag ?? '', 'content-type': 'application/json' }
    const json = { name: `Compressed by ${name}` }
    const updated = await send({ method: 'PATCH', path, headers }, JSON.stringify(json))
    updated.resume()
    expect(updated.statusCode).toBe(200)
    const known = await send({ path, headers: { 'if-none-match': updated.headers.etag ?? '' } })
    known.resume()
    expect(known.statusCode).toBe(304)
  })

  it('leaves the size of bodies to the service', async () => {
    const headers = { 'content-type': 'application/x-ndjson' }
    const large = await send({ method: 'POST', path: '/v2/imports', headers }, ' '.repeat(3_500_000))
    expect([large.statusCode, await text(large)]).toEqual([400, expect.stringContaining('"invalid_argument"')])
    const tooLarge = await send({ method: 'POST', path: '/v2/imports', headers }, ' '.repeat(5_000_000))
    expect([tooLarge.statusCode, await text(tooLarge)]).toEqual([413, expect.stringContaining('BODY_TOO_LARGE')])
  })

  it('passes on the address of the client, which it cannot choose, and the scheme', async () => {
    const statuses: (number | undefined)[] = []
    for (let attempt = 0; attempt < 6; attempt++) {
      const type = 'application/x-www-form-urlencoded'
      const headers = { 'content-type': type, 'x-forwarded-for': `192.0.2.${attempt}` }
      const response = await send({ method: 'POST', path: '/v2/auth/revoke', headers }, 'secret=nothing')
      response.resume()
      statuses.push(response.statusCode)
    }
    // Five for the one address that the proxy has seen.
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    const document = JSON.parse(await text(await send({ path: '/v2/openapi.json' })))
    expect(document.servers[0].url).toBe(`https://127.0.0.1:${port}`)
  })
})
