import { setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { parseWebhookAllowance } from '../../src/egress/webhook-destination.js'
import { createWebhookSender, type SenderOptions } from '../../src/egress/webhook-sender.js'
import { eventually } from '../support/eventually.js'

const { signal } = new AbortController()
setMaxListeners(100, signal)
const nowhere = parseWebhookAllowance('')
const request = (url: string, organizationId = 'acme') => ({
  organizationId,
  url,
  headers: { 'webhook-id': '1' },
  body: '{}',
})

describe('sending a webhook', () => {
  const servers: Server[] = []
  afterEach(async () => {
    jest.restoreAllMocks()
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })
  const listen = async (answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> => {
    const server = createServer(answer)
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }
  const sendTo = (url: string, options: Partial<SenderOptions> = {}) =>
    createWebhookSender({ allowance: nowhere, ...options })(request(url), signal)
  const allowing = (port: number) => parseWebhookAllowance(`127.0.0.1:${port},hooks.test:${port}`)

  it.each([
    ['a private address', ['10.0.0.1']],
    ['the address of this machine', ['127.0.0.1', '::1']],
    ['the metadata of a cloud', ['169.254.169.254']],
    ['an IPv4-mapped address', ['::ffff:127.0.0.1']],
    ['an address behind NAT64', ['64:ff9b::7f00:1']],
    ['nothing', []],
  ])('never connects where a name means %s', async (_, addresses) => {
    const result = await sendTo('https://hooks.test/', { resolve: async () => addresses })
    expect(result).toEqual({
      responseStatus: null,
      responseBody: '',
      error: 'hooks.test has no address that webhooks may be sent to: see WEBHOOK_ALLOW',
    })
  })

  it('connects to the very address that was judged, and asks for no second one', async () => {
    let received = 0
    const port = await listen((_, response) => {
      received++
      response.end('ok')
    })
    const answers = [['127.0.0.1'], ['10.0.0.1']]
    let asked = 0
    const resolve = async () => answers[asked++] ?? []
    // The host of the request is the name; only the first answer is used.
    const result = await sendTo(`http://hooks.test:${port}/`, { allowance: allowing(port), resolve })
    expect([result.responseStatus, received, asked]).toEqual([200, 1, 1])
  })

  it('sends the name as the host, whatever the address', async () => {
    let host: string | undefined
    const port = await listen((incoming, response) => {
      host = incoming.headers.host
      response.end()
    })
    await sendTo(`http://hooks.test:${port}/`, { allowance: allowing(port), resolve: async () => ['127.0.0.1'] })
    expect(host).toBe(`hooks.test:${port}`)
  })

  it('follows no redirect', async () => {
    const paths: (string | undefined)[] = []
    const port = await listen((incoming, response) => {
      paths.push(incoming.url)
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end('elsewhere')
    })
    const result = await sendTo(`http://127.0.0.1:${port}/hook`, { allowance: allowing(port) })
    expect([result.responseStatus, result.responseBody, paths]).toEqual([302, 'elsewhere', ['/hook']])
  })

  it('reads at most 16 KiB of an endless answer, and keeps 1 KiB', async () => {
    let written = 0
    const port = await listen((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(4_096))) written += 4_096
        response.once('drain', more)
      }
      more()
    })
    const result = await sendTo(`http://127.0.0.1:${port}/`, { allowance: allowing(port) })
    expect([result.responseStatus, result.responseBody]).toEqual([200, 'x'.repeat(1_024)])
    // What the kernel buffers on both sides, and no more.
    expect(written).toBeLessThan(16 * 1024 * 1024)
  })

  it('takes what there is of a response that does not end', async () => {
    const begin: Readonly<Record<string, (response: ServerResponse) => void>> = {
      '/status': (response) => response.writeHead(200).flushHeaders(),
      '/bytes': (response) => response.writeHead(200).write('so far'),
      '/broken-off': (response) => response.write('so far', () => response.destroy()),
    }
    const port = await listen(({ url = '' }, response) => begin[url]?.(response))
    const paths = Object.keys(begin)
    const send = (path: string) => sendTo(`http://127.0.0.1:${port}${path}`, { allowance: allowing(port) })
    const results = await Promise.all(paths.map(send))
    expect(results.map(({ responseStatus, responseBody, error }) => [responseStatus, responseBody, error])).toEqual([
      [200, '', ''],
      [200, 'so far', ''],
      [200, 'so far', ''],
    ])
  })

  it.each([
    ['does not answer', ['::1', '127.0.0.1']],
    ['is not permitted', ['10.0.0.1', '127.0.0.1']],
    ['is one of several that do not', ['127.0.0.3', '::1', '127.0.0.2', '127.0.0.1']],
  ])('goes to the next address of a name if one %s', async (_, addresses) => {
    const port = await listen((_incoming, response) => response.end())
    const allowance = parseWebhookAllowance('127.0.0.0/8,::1/128')
    const result = await sendTo(`http://hooks.test:${port}/`, { allowance, resolve: async () => addresses })
    expect(result).toMatchObject({ responseStatus: 200, error: '' })
  })

  it('says of each address why it does not answer', async () => {
    const allowance = parseWebhookAllowance('127.0.0.0/8,::1/128')
    const resolve = async () => ['127.0.0.2', '127.0.0.3']
    const { error } = await sendTo('http://hooks.test:1/', { allowance, resolve })
    expect(error).toBe('connect ECONNREFUSED 127.0.0.2:1; connect ECONNREFUSED 127.0.0.3:1')
  })

  it('says why a receiver without TLS has no connection, and nothing of the insides of the service', async () => {
    const port = await listen((_, response) => response.end())
    const { error } = await sendTo(`https://127.0.0.1:${port}/`, { allowance: allowing(port) })
    expect(error).toBe('no TLS connection: wrong version number')
  })

  it('asks for a response that people can read', async () => {
    const port = await listen(({ headers }, response) => response.end(headers['accept-encoding']))
    const result = await sendTo(`http://127.0.0.1:${port}/`, { allowance: allowing(port) })
    expect(result.responseBody).toBe('identity')
  })

  it('closes a connection that is idle for ten seconds', async () => {
    const idle: Socket[] = []
    jest.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function collectIdle(this: Socket, millis: number) {
      if (millis === 10_000) idle.push(this)
      return this
    })
    const closed: string[] = []
    const port = await listen(({ socket, url = '' }, response) => {
      socket.once('close', () => closed.push(url))
      response.end()
    })
    const send = createWebhookSender({ allowance: allowing(port) })
    await Promise.all(['/a', '/b'].map((path) => send(request(`http://127.0.0.1:${port}${path}`), signal)))
    await eventually(() => expect(new Set(idle).size).toBe(2))
    idle[0]?.emit('timeout')
    await eventually(() => expect(closed).toHaveLength(1))
    idle.find((socket) => socket !== idle[0])?.emit('timeout')
    await eventually(() => expect(closed.toSorted()).toEqual(['/a', '/b']))
  })

  it('says what a receiver did that answers nothing', async () => {
    const port = await listen((incoming) => incoming.socket.destroy())
    const result = await sendTo(`http://127.0.0.1:${port}/`, { allowance: allowing(port) })
    expect([result.responseStatus, result.error]).toEqual([null, 'socket hang up'])
  })

  it('sends again what met a connection that the receiver had just closed', async () => {
    const sockets: unknown[] = []
    const port = await listen(({ socket }, response) => {
      if (sockets.includes(socket)) socket.destroy()
      else response.end()
      sockets.push(socket)
    })
    const send = createWebhookSender({ allowance: allowing(port) })
    const sent = []
    for (let count = 0; count < 2; count++) sent.push(await send(request(`http://127.0.0.1:${port}/`), signal))
    expect(sent.map(({ responseStatus }) => responseStatus)).toEqual([200, 200])
    expect(new Set(sockets).size).toBe(2)
    expect(sockets).toHaveLength(3)
  })

  it('ends with the signal', async () => {
    const port = await listen(() => {})
    const ending = new AbortController()
    const sent = createWebhookSender({ allowance: allowing(port) })(request(`http://127.0.0.1:${port}/`), ending.signal)
    ending.abort(new Error('the service stops'))
    await expect(sent).rejects.toThrow('the service stops')
  })

  it('asks a proxy for a tunnel to the judged addresses in turn, and never to another', async () => {
    const port = await listen((incoming, response) => response.end(incoming.headers.host))
    const tunnels: string[] = []
    const proxyPort = await listen(() => {})
    servers.at(-1)?.on('connect', ({ url = '' }: IncomingMessage, client: Socket) => {
      tunnels.push(url)
      if (!url.startsWith('127.0.0.1:')) {
        client.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n')
        return
      }
      const upstream = connect(port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n')
        upstream.pipe(client).pipe(upstream)
      })
      client.on('error', () => upstream.destroy())
    })
    const proxy = `http://127.0.0.1:${proxyPort}`
    const allowance = allowing(port)
    const through = await sendTo(`http://hooks.test:${port}/`, { allowance, proxy, resolve: async () => ['127.0.0.1'] })
    expect([through.responseStatus, through.responseBody]).toEqual([200, `hooks.test:${port}`])
    expect(tunnels).toEqual([`127.0.0.1:${port}`])
    const refused = await sendTo('https://hooks.test/', { allowance, proxy, resolve: async () => ['10.0.0.1'] })
    expect([refused.responseStatus, tunnels.length]).toEqual([null, 1])
    // The next one, where the proxy does not reach the first.
    const resolve = async () => ['127.0.0.2', '10.0.0.1', '127.0.0.1', '127.0.0.3']
    const next = await sendTo(`http://hooks.test:${port}/`, {
      allowance: parseWebhookAllowance('127.0.0.0/8'),
      proxy,
      resolve,
    })
    expect([next.responseStatus, tunnels.slice(1)]).toEqual([200, [`127.0.0.2:${port}`, `127.0.0.1:${port}`]])
  })

  it.each([
    [
      'refuses',
      (client: Socket) => client.end('HTTP/1.1 407 Authentication Required\r\ncontent-length: 4\r\n\r\npage'),
    ],
    ['hangs up', (client: Socket) => client.destroy()],
    ['is not there', undefined],
  ])('says nothing of a proxy that %s but that it is at fault', async (_, answer) => {
    const proxyPort = await listen(() => {})
    const [proxyServer] = servers
    if (answer === undefined) await new Promise((resolve) => servers.pop()?.close(resolve))
    else proxyServer?.on('connect', (_incoming, client: Socket) => answer(client))
    for (const url of ['http://hooks.test:8080/', 'https://hooks.test/']) {
      const result = await sendTo(url, {
        allowance: parseWebhookAllowance('hooks.test:8080,hooks.test:443'),
        proxy: `http://127.0.0.1:${proxyPort}`,
        resolve: async () => ['192.0.2.1'],
      })
      const error = 'the egress proxy of the service made no connection'
      expect(result).toEqual({ responseStatus: null, responseBody: '', error })
    }
  })

  it('keeps a part of its idle connections for each organization, and closes the others', async () => {
    const open = new Map<string | undefined, number>()
    const port = await listen(({ socket, url }, response) => {
      open.set(url, (open.get(url) ?? 0) + 1)
      socket.once('close', () => open.set(url, (open.get(url) ?? 0) - 1))
      response.end()
    })
    for (const server of servers) server.keepAliveTimeout = 0
    // Each is a name of its own, with connections of its own.
    const send = createWebhookSender({
      allowance: parseWebhookAllowance('127.0.0.0/8'),
      resolve: async () => ['127.0.0.1'],
    })
    const sendMany = (organizationId: string) =>
      Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          send(request(`http://${organizationId}-${index}.test:${port}/${organizationId}`, organizationId), signal),
        ),
      )
    await sendMany('acme')
    await eventually(() => expect(open.get('/acme')).toBe(25))
    await sendMany('globex')
    await eventually(() => expect([open.get('/acme'), open.get('/globex')]).toEqual([25, 13]))
  })
})
