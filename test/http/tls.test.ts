import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { Agent, request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { text } from 'node:stream/consumers'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { createClient, type Transport } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { AppInstanceService } from '../../gen/svc/v2/app_instance_pb.js'
import { readTlsIdentity, type TlsIdentity } from '../../src/http/tls-identity.js'
import { createMeters } from '../../src/telemetry/meters.js'
import { type CertificateFiles, createCertificateFiles } from '../support/certificate-files.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { metricsFromText } from '../support/metrics.js'
import { startTestService, type TestService } from '../support/service.js'

const FORM = 'application/x-www-form-urlencoded'

describe('a service with a certificate', () => {
  let service: TestService
  let token: string
  let files: CertificateFiles
  let identity: TlsIdentity
  beforeAll(async () => {
    files = await createCertificateFiles()
    identity = await readTlsIdentity(files)
    service = await startTestService({ tlsIdentity: identity })
    await insertFixture(service.database)
    token = await insertUserToken(service.database, { userId: fixture.users.manager })
  })
  afterAll(async () => {
    await service.stop()
    await files.remove()
  })

  const ca = () => identity.cert
  const port = () => Number(new URL(service.baseUrl).port)
  const path = `/v2/app-instances?teamId=${fixture.it}`
  const headers = () => ({ authorization: `Bearer ${token}` })
  const shake = async (options: ConnectionOptions = {}): Promise<TLSSocket> => {
    const socket = connect({ port: port(), host: '127.0.0.1', ca: ca(), ...options })
    await once(socket, 'secureConnect')
    return socket
  }
  const askHttp1 = async (agent: Agent, of = path) => {
    const sent = request(service.baseUrl + of, { agent, headers: headers() }).end()
    const [answer] = await once(sent, 'response')
    return { status: answer.statusCode, body: await text(answer), connection: answer.headers.connection }
  }
  const openHttp2 = async () => {
    const session = connectHttp2(service.baseUrl, { ca: ca() })
    await once(session, 'remoteSettings')
    return session
  }
  const askHttp2 = async (session: ReturnType<typeof connectHttp2>, of = path) => {
    const stream = session.request({ ':path': of, ...headers() })
    const [{ ':status': status }] = await once(stream, 'response')
    return { status, body: await text(stream) }
  }

  it('serves REST over HTTP/1.1 and HTTP/2, as negotiated by ALPN', async () => {
    const agent = new Agent({ ca: ca(), keepAlive: true, maxSockets: 1 })
    const session = await openHttp2()
    expect([session.alpnProtocol, session.encrypted]).toEqual(['h2', true])
    const answers = [await askHttp1(agent), await askHttp2(session)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers[0]?.body).toBe(answers[1]?.body)
    session.close()
    agent.destroy()
  })

  const nodeOptions = () => ({ ca: ca() })
  it.each<[string, (baseUrl: string) => Transport]>([
    [
      'Connect over HTTP/1.1',
      (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1', nodeOptions: nodeOptions() }),
    ],
    [
      'Connect over HTTP/2',
      (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '2', nodeOptions: nodeOptions() }),
    ],
    ['gRPC', (baseUrl) => createGrpcTransport({ baseUrl, nodeOptions: nodeOptions() })],
    [
      'gRPC-Web over HTTP/1.1',
      (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1', nodeOptions: nodeOptions() }),
    ],
    [
      'gRPC-Web over HTTP/2',
      (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '2', nodeOptions: nodeOptions() }),
    ],
  ])('serves %s', async (_, transportTo) => {
    const client = createClient(AppInstanceService, transportTo(service.baseUrl))
    const { data } = await client.listAppInstances({ teamId: fixture.it }, { headers: headers() })
    expect(data.map(({ id }) => id)).toContain(fixture.appInstances.it)
  })

  it.each([
    ['nothing', undefined, false],
    ['HTTP/1.1', ['http/1.1'], 'http/1.1'],
  ])('speaks HTTP/1.1 with a client that offers %s', async (_, offered, chosen) => {
    const socket = await shake(offered && { ALPNProtocols: offered })
    expect(socket.alpnProtocol).toBe(chosen)
    socket.end('GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
    expect(await text(socket)).toContain('HTTP/1.1 200 OK')
  })

  it('rejects the handshake of a client with no supported protocol or an old TLS version', async () => {
    await expect(shake({ ALPNProtocols: ['spdy/3'] })).rejects.toThrow('no application protocol')
    await expect(shake({ maxVersion: 'TLSv1.1', minVersion: 'TLSv1.1' })).rejects.toThrow()
  })

  it('answers nothing in cleartext, and stays up', async () => {
    const socket = connectPlain(port(), '127.0.0.1')
    socket.end('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
    expect(await text(socket)).not.toContain('HTTP/1.1')
    const agent = new Agent({ ca: ca() })
    expect((await askHttp1(agent, '/healthz')).status).toBe(200)
  })

  it('gives its address in the documents with https, over both versions', async () => {
    const session = await openHttp2()
    const bodies = [
      await askHttp1(new Agent({ ca: ca() }), '/v2/openapi.json'),
      await askHttp2(session, '/v2/openapi.json'),
    ]
    for (const { body } of bodies) expect(JSON.parse(body).servers[0].url).toBe(service.baseUrl)
    session.close()
  })

  it('presents a new certificate to new connections, and keeps open ones', async () => {
    const agent = new Agent({ ca: ca(), keepAlive: true, maxSockets: 1 })
    const session = await openHttp2()
    expect([(await askHttp1(agent)).status, (await askHttp2(session)).status]).toEqual([200, 200])
    const next = await createCertificateFiles()
    const renewed = await readTlsIdentity(next)
    service.useTlsIdentity(renewed)
    await expect(shake()).rejects.toThrow('self-signed')
    const socket = await shake({ ca: renewed.cert, ALPNProtocols: ['h2'] })
    expect([socket.getPeerX509Certificate()?.fingerprint256, socket.alpnProtocol]).toEqual([renewed.fingerprint, 'h2'])
    expect([(await askHttp1(agent)).status, (await askHttp2(session)).status]).toEqual([200, 200])
    service.useTlsIdentity(identity)
    socket.destroy()
    session.close()
    agent.destroy()
    await next.remove()
  })

  it('reports when its current certificate expires, and nothing in cleartext', async () => {
    const name = 'svc_tls_certificate_expiry_timestamp_seconds'
    const { testDatabase } = service
    const later = { ...identity, expiresAt: new Date(identity.expiresAt.getTime() + 86_400_000) }
    for (const own of [identity, undefined]) {
      const meters = createMeters({ version: '1.2.3', commit: 'abc' })
      const measured = await startTestService({ testDatabase, meters, ...(own && { tlsIdentity: own }) })
      const expiry = async () => metricsFromText(await meters.text()).sum(name)
      expect(await expiry()).toBe(own === undefined ? 0 : own.expiresAt.getTime() / 1000)
      if (own === undefined) expect(await meters.text()).not.toMatch(new RegExp(`^${name} `, 'm'))
      else {
        measured.useTlsIdentity(later)
        expect(await expiry()).toBe(later.expiresAt.getTime() / 1000)
      }
      await measured.stop()
      meters.close()
    }
  })

  it('closes a connection that ends during the handshake, and one whose handshake takes too long', async () => {
    const meters = createMeters({ version: '1.2.3', commit: 'abc' })
    const config = { headerSeconds: 1 }
    const own = await startTestService({ testDatabase: service.testDatabase, tlsIdentity: identity, meters, config })
    const open = async () => metricsFromText(await meters.text()).sum('svc_http_connections')
    const begin = () => connectPlain(Number(new URL(own.baseUrl).port), '127.0.0.1').on('error', () => undefined)
    /** The beginning of a record of the handshake. */
    const hello = Buffer.from([22, 3, 1, 2, 0, 1])
    const [silent, begun, ended, cut] = [begin(), begin(), begin(), begin()]
    begun.write(hello)
    ended.end(hello)
    cut.write(hello, () => cut.resetAndDestroy())
    const closed = [silent, begun, ended].map((socket) => once(socket.resume(), 'close'))
    await eventually(async () => expect(await open()).toBeGreaterThan(0))
    await Promise.all(closed)
    await eventually(async () => expect(await open()).toBe(0))
    await own.stop()
    meters.close()
  })

  it('closes every connection at shutdown, even during a handshake, and cuts no call', async () => {
    const own = await startTestService({ testDatabase: service.testDatabase, tlsIdentity: identity })
    const { port: ownPort } = new URL(own.baseUrl)
    const half = connectPlain(Number(ownPort), '127.0.0.1')
    await once(half, 'connect')
    const idle = connect({ port: Number(ownPort), host: '127.0.0.1', ca: ca() })
    await once(idle, 'secureConnect')
    const session = connectHttp2(own.baseUrl, { ca: ca() })
    await once(session, 'remoteSettings')
    const ends = [half, idle].map((socket) => once(socket.resume(), 'close'))
    const slow = session.request({ ':path': '/v2/auth/token', ':method': 'POST', 'content-type': FORM })
    slow.write('grant_type=client_credentials&client_id=none')
    // Its header has arrived once a later call is answered.
    expect((await askHttp2(session)).status).toBe(200)
    const stopped = own.close()
    slow.end('&client_secret=none')
    const [answer] = await once(slow, 'response')
    expect(answer[':status']).toBe(401)
    slow.resume()
    await Promise.all([...ends, stopped])
  })
})
