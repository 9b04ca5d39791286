import { randomBytes } from 'node:crypto'
import { create } from '@bufbuild/protobuf'
import { createContextValues } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createRpcHandler } from '../../src/rpc/rpc-handler.js'
import { echoRoutes, everything, failing, idsAnswered, type Kind, kinds, pathOf } from './echo-service.js'
import { type Ports, servePorts } from './ports.js'
import { callHttp1, callHttp2, type RawAnswer } from './raw-call.js'
import { createStockHandler } from './stock-handler.js'
import {
  bytesOf,
  codings,
  forms,
  readAnswer,
  requestOf,
  rpcProtocols,
  type WireAnswer,
  type WireForm,
} from './wire-form.js'

const shared = { routes: echoRoutes, interceptors: [] }
let ours: Ports
let stock: Ports
beforeAll(async () => {
  ours = await servePorts(
    createRpcHandler({
      ...shared,
      admit: async () => createContextValues(),
      maxBodyBytes: () => 100_000,
      maxTimeoutMs: () => 60_000,
      shutdownSignal: new AbortController().signal,
      onError: () => undefined,
    }),
  )
  stock = await servePorts(createStockHandler({ ...shared, maxBodyBytes: 100_000, maxTimeoutMs: 60_000 }))
})
afterAll(() => {
  ours.close()
  stock.close()
})

const versions = ['HTTP/1.1', 'HTTP/2'] as const
type Version = (typeof versions)[number]

interface Row extends WireForm {
  readonly kind: Kind
  readonly version: Version
}

const rows: Row[] = kinds.flatMap((kind) =>
  versions.flatMap((version) =>
    rpcProtocols.flatMap((protocol) =>
      forms.flatMap((form) =>
        codings.flatMap((coding) => {
          const row: Row = { kind, version, protocol, form, coding, unary: kind === 'Unary' }
          const byGet = kind === 'Unary' && protocol === 'connect'
          return byGet ? [row, { ...row, verb: 'GET' as const }] : [row]
        }),
      ),
    ),
  ),
)
// A call in both directions at once has no place in HTTP/1.1.
const served = rows.filter(({ kind, version }) => kind !== 'Bidi' || version === 'HTTP/2')

/** What keeps proxies from collecting a stream. */
const proxyHeader = 'x-accel-buffering'

/** Long enough to be compressed. */
const long = (id: string) => id.repeat(1500)
const idsOf = (kind: Kind) => (kind === 'Unary' || kind === 'ServerStream' ? [long('a')] : [long('a'), 'b', long('c')])

async function send(
  ports: Ports,
  row: Row,
  ids: readonly string[],
  headers: Record<string, string>,
): Promise<RawAnswer> {
  const messages = ids.map((id) => bytesOf(everything, create(everything, { id } as Record<string, unknown>), row.form))
  const request = requestOf(row, pathOf(row.kind), messages)
  const sent = { ...request, headers: { ...request.headers, ...headers } }
  return row.version === 'HTTP/1.1' ? callHttp1(ports.http1, sent) : callHttp2(ports.http2, sent)
}

/**
 * Sends a call to ours and to the stock handlers, requires equal answers but for what proxies read of ours, and returns
 * what ours says.
 */
async function sameAnswer(row: Row, headers: Record<string, string> = {}): Promise<WireAnswer> {
  const answers = []
  for (const ports of [stock, ours]) {
    answers.push(readAnswer(row, everything, await send(ports, row, idsOf(row.kind), headers)))
  }
  const [expected, answer] = answers
  if (answer === undefined) throw new Error('nothing was answered')
  const { [proxyHeader]: _, ...headersOfAnswer } = answer.headers
  const { [proxyHeader]: __, ...trailers } = answer.trailers
  expect({ ...answer, headers: headersOfAnswer, trailers }).toEqual(expected)
  return answer
}

describe.each(served)('$kind over $protocol in $form and $coding on $version $verb', (row) => {
  const seenByHandler = `${row.verb ?? 'POST'} ${row.protocol}`

  it('responds like the stock handlers: messages, headers, trailers', async () => {
    const answer = await sameAnswer(row, { 'x-say': 'hello' })
    expect(answer).toMatchObject({ status: 200, code: 0, headers: { 'x-echo': 'hello' } })
    expect({ ...answer.trailers, ...answer.headers }[proxyHeader]).toBe(row.kind === 'Unary' ? undefined : 'no')
    expect(answer.trailers).toMatchObject({ 'x-trailer': seenByHandler })
    expect(answer.messages).toEqual(idsAnswered(row.kind, idsOf(row.kind)))
  })

  it('fails like them: code, text, details, metadata, and what was sent before', async () => {
    const answer = await sameAnswer(row, { 'x-fail': String(failing) })
    expect([answer.code, answer.text]).toEqual([failing, 'it failed: "é" 100%'])
    expect(answer.details).toHaveLength(1)
    expect({ ...answer.headers, ...answer.trailers }).toMatchObject({ 'x-meta': 'extra', 'x-trailer': seenByHandler })
  })

  it('masks errors that are not Connect errors', async () => {
    expect(await sameAnswer(row, { 'x-throw': 'yes' })).toMatchObject({ code: 13, text: 'internal error' })
  })

  it('ends at its deadline', async () => {
    const timeout = row.protocol === 'connect' ? { 'connect-timeout-ms': '30' } : { 'grpc-timeout': '30m' }
    const answer = await send(ours, row, idsOf(row.kind), { ...timeout, 'x-delay': '10000' })
    expect(readAnswer(row, everything, answer).code).toBe(4)
  })
})

it.each(served.filter(({ kind, form, coding }) => kind === 'Bidi' && form === 'proto' && coding === 'gzip'))(
  '$kind over $protocol ends at its deadline although a message is being compressed',
  async (row) => {
    // What cannot be compressed takes longest.
    const ids = Array.from({ length: 12 }, () => randomBytes(22_500).toString('base64'))
    for (let millis = 5; millis <= 40; millis += 5) {
      const timeout =
        row.protocol === 'connect' ? { 'connect-timeout-ms': `${millis}` } : { 'grpc-timeout': `${millis}m` }
      const answer = await send(ours, row, ids, { ...timeout, 'x-delay': '10000' })
      expect(readAnswer(row, everything, answer).code).toBe(4)
    }
  },
)
