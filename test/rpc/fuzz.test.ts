import { create } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { encodeEnvelope } from '@connectrpc/connect/protocol'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { type Connection, openConnection, type Version, versions } from './connection.js'
import { type EchoServer, startEchoServer } from './echo-server.js'
import { everything, type Kind, kinds, pathOf } from './echo-service.js'
import type { RawRequest } from './raw-call.js'
import {
  bytesOf,
  codings,
  compress,
  forms,
  headersOf,
  isEnveloped,
  readAnswer,
  rpcProtocols,
  type WireForm,
} from './wire-form.js'

/** How many calls are made. */
const CALLS = 2_000

let server: EchoServer
const connections = new Map<Version, Connection>()
beforeAll(async () => {
  server = await startEchoServer()
  for (const version of versions) connections.set(version, openConnection(server, version))
})
afterAll(() => {
  for (const connection of connections.values()) connection.close()
  server.close()
})

/** A change to bytes: some are taken away at a place, and others put there. */
const change = fc.record({ at: fc.nat(), taken: fc.nat(8), put: fc.uint8Array({ maxLength: 4 }) })
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function changed(bytes: Uint8Array, changes: readonly Change[]): Uint8Array {
  return changes.reduce<Uint8Array>((before, { at, taken, put }) => {
    const place = at % (before.length + 1)
    return Buffer.concat([before.subarray(0, place), put, before.subarray(place + taken)])
  }, bytes)
}

const changes = fc.array(change, { maxLength: 3 })
const call = fc.record({
  kind: fc.constantFrom<Kind>(...kinds),
  version: fc.constantFrom(...versions),
  protocol: fc.constantFrom(...rpcProtocols),
  form: fc.constantFrom(...forms),
  coding: fc.constantFrom(...codings),
  /** The coding that the header names. */
  named: fc.constantFrom(...codings, undefined, ''),
  ids: fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 2 }),
  isGet: fc.boolean(),
  inMessage: changes,
  inData: changes,
  inBody: changes,
})
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never

function requestOf(each: Call): [WireForm, RawRequest] {
  const { kind, protocol, form, coding, named, ids } = each
  const wire: WireForm = { protocol, form, coding, unary: kind === 'Unary' }
  const data = ids.map((id) => {
    const message = bytesOf(everything, create(everything, { id, names: [id] } as Record<string, unknown>), form)
    return changed(compress(coding, changed(message, each.inMessage)), each.inData)
  })
  const flags = coding === 'identity' ? 0 : 1
  const body = changed(
    isEnveloped(wire) ? Buffer.concat(data.map((bytes) => encodeEnvelope(flags, bytes))) : (data[0] ?? Buffer.alloc(0)),
    each.inBody,
  )
  if (each.isGet && !isEnveloped(wire)) {
    const base64 = Buffer.from(changed(Buffer.from(Buffer.from(body).toString('base64url')), each.inData))
    const query = `encoding=${form}&base64=1&message=${encodeURIComponent(base64.toString('latin1'))}&compression=${named ?? ''}`
    return [wire, { method: 'GET', path: `${pathOf(kind)}?${query}`, headers: {} }]
  }
  const headers: Record<string, string> = headersOf(wire)
  const encoding = encodingHeaderOf(wire)
  delete headers[encoding]
  // Who names identity and marks a message as compressed is answered INTERNAL, as gRPC wants it.
  if (named !== undefined && named !== 'identity') headers[encoding] = named
  return [wire, { path: pathOf(kind), headers, body }]
}

function encodingHeaderOf({ protocol, unary }: WireForm): string {
  if (protocol !== 'connect') return 'grpc-encoding'
  return unary ? 'content-encoding' : 'connect-content-encoding'
}

it('the caller gets an actionable response to any input', async () => {
  const answered = new Set<number>()
  const property = fc.asyncProperty(call, async (each) => {
    const [wire, request] = requestOf(each)
    const answer = await connections.get(each.kind === 'Bidi' ? 'HTTP/2' : each.version)?.send(request)
    if (answer === undefined) throw new Error('there is no connection')
    const { code } = readAnswer(wire, everything, answer)
    expect([0, Code.InvalidArgument, Code.ResourceExhausted, Code.Unimplemented]).toContain(code)
    answered.add(code)
  })
  await fc.assert(property, { numRuns: CALLS })
  expect([answered.has(0), answered.has(Code.InvalidArgument)]).toEqual([true, true])
  expect(server.reported).toEqual([])
}, 600_000)
