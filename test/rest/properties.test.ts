import { create, type Message, type MessageInitShape, toJson } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { ConnectError } from '@connectrpc/connect'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { findByProtoName, resolveFieldPath } from '../../src/rest/field-path.js'
import { setFromText } from '../../src/rest/field-setter.js'
import { createRestTranscoder, messageFromJson } from '../../src/rest/index.js'
import { bindParameters } from '../../src/rest/parameter-binder.js'
import { defineService, echoRoutes, messageType } from './fixture.js'
import { PROTOCOLS, startServer } from './http.js'

const everything = messageType('Everything')
const text = fc.string({ unit: 'grapheme', maxLength: 10 })
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const leaf = fc.record({ name: text, count: int32, tags: fc.array(text, { maxLength: 3 }) }, { requiredKeys: [] })
const seconds = fc.bigInt({ min: -62135596800n, max: 253402300799n })
const nanos = fc.integer({ min: 0, max: 999_999_999 })

// JSON.stringify writes -0 as 0, which is then no longer printed.
function positiveZero(value: number): number {
  return value + 0
}

// Every field that a query can carry.
const flat = fc.record(
  {
    id: text,
    flag: fc.boolean(),
    i32: int32,
    i64: int64,
    u32: uint32,
    u64: uint64,
    s32: int32,
    s64: int64,
    f32: uint32,
    f64: uint64,
    sf32: int32,
    sf64: int64,
    floatValue: fc.float().map(positiveZero),
    doubleValue: fc.double().map(positiveZero),
    data: fc.uint8Array({ maxLength: 9 }),
    color: int32,
    opt: text,
    optInt: int32,
    names: fc.array(text, { maxLength: 3 }),
    numbers: fc.array(int32, { maxLength: 3 }),
    colors: fc.array(int32, { maxLength: 3 }),
    longs: fc.array(int64, { maxLength: 3 }),
    leaf,
    stringWrapper: text,
    int64Wrapper: int64,
    boolWrapper: fc.boolean(),
    bytesWrapper: fc.uint8Array({ maxLength: 5 }),
    at: fc.record({ seconds, nanos }),
    lasting: fc.record({ seconds: fc.bigInt({ min: 0n, max: 315575999999n }), nanos }),
    mask: fc.record({ paths: fc.array(fc.constantFrom('id', 'float_value', 'leaf.name'), { maxLength: 3 }) }),
    longText: int64.map(String),
    choice: fc.oneof(
      fc.record({ case: fc.constant('choiceText'), value: text }),
      fc.record({ case: fc.constant('choiceNumber'), value: int32 }),
      fc.record({ case: fc.constant('choiceLeaf'), value: leaf.map((init) => create(messageType('Leaf'), init)) }),
    ),
  },
  { requiredKeys: [] },
)

function messageOf(init: object): Message {
  return create(everything, init as MessageInitShape<typeof everything>)
}

// The JSON of a message as name=value pairs: lists repeated, messages dotted.
function pairsOf(json: unknown, prefix: string): string[] {
  if (Array.isArray(json)) return json.flatMap((item) => pairsOf(item, prefix))
  if (typeof json === 'object' && json !== null) {
    return Object.entries(json).flatMap(([key, value]) => pairsOf(value, prefix === '' ? key : `${prefix}.${key}`))
  }
  return [`${encodeURIComponent(prefix)}=${encodeURIComponent(String(json))}`]
}

describe('random messages', () => {
  it('survive conversion to a query and back', () => {
    const rules = { kind: 'query parameter', ignoreUnknown: false, maxPairs: 1000 } as const
    fc.assert(
      fc.property(flat, fc.boolean(), (init, useProtoFieldName) => {
        const json = toJson(everything, messageOf(init))
        const bound = create(everything)
        const pairs = pairsOf(toJson(everything, messageOf(init), { useProtoFieldName }), '')
        bindParameters(reflect(everything, bound), pairs.join('&'), rules)
        // An empty message has no pairs, and is not there when bound.
        expect(toJson(everything, bound)).toEqual(JSON.parse(JSON.stringify(json), dropEmpty))
      }),
      { numRuns: 2000 },
    )
  })

  it('survive conversion to JSON and back', () => {
    fc.assert(
      fc.property(flat, (init) => {
        const json = toJson(everything, messageOf(init))
        expect(toJson(everything, messageFromJson(everything, JSON.stringify(json)))).toEqual(json)
      }),
      { numRuns: 2000 },
    )
  })
})

function dropEmpty(key: string, value: unknown): unknown {
  return key !== '' &&
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length === 0
    ? undefined
    : value
}

describe('any text for any field', () => {
  const paths = everything.fields.flatMap(({ name }) => {
    const path = resolveFieldPath(everything, [name], findByProtoName)
    return typeof path === 'string' ? [] : [path]
  })
  const odd = fc.oneof(
    fc.string(),
    fc.stringMatching(/^[-+0-9.eExXTZ:sNaInfity_=/ ]{0,24}$/),
    fc.constantFrom('2024-02-29T00:00:00Z', '-0', '1e5', 'Infinity', '__proto__', 'constructor', 'toString'),
  )

  it('is accepted and printable, or refused with invalid_argument and the field', () => {
    fc.assert(
      fc.property(fc.constantFrom(...paths), odd, (path, value) => {
        const message = create(everything)
        try {
          setFromText(reflect(everything, message), path, value, 'the-name')
        } catch (error) {
          return error instanceof ConnectError && String(error).includes('[invalid_argument] the-name: ')
        }
        // What was taken can be printed and read again.
        const json = JSON.stringify(toJson(everything, message))
        const again = JSON.stringify(toJson(everything, messageFromJson(everything, json)))
        return again === (json === '{"floatValue":0}' || json === '{"doubleValue":0}' ? '{}' : json)
      }),
      { numRuns: 30000 },
    )
  })
})

const service = defineService({
  Get: { rule: { get: '/v1/{id=things/*}', additional: [{ get: '/v1/{id=things/**}:all' }] } },
  List: { rule: { get: '/v1/things' } },
  Int: { rule: { get: '/v1/int/{i32}/{leaf.count}' } },
  Create: { rule: { post: '/v1/things', body: '*' } },
  Put: { rule: { put: '/v1/things/{id}', body: 'leaf' } },
  Any: { rule: { custom: { kind: '*', path: '/v1/any/{id=**}' } } },
})

const characters = [
  '/',
  '%',
  '?',
  '&',
  '=',
  ':',
  '.',
  '+',
  '#',
  ';',
  '%2F',
  '%zz',
  '%ff',
  '%00',
  '%C3%BC',
  '*',
  '{',
  '}',
]
const words = ['v1', 'things', 'int', 'any', 'all', '1', 'id', 'leaf', 'count', 'names', 'flag', 'true', 'at', 'x']
const target = fc
  .array(fc.constantFrom(...characters, ...words), { maxLength: 24 })
  .map((parts) => `/${fc.stringify(parts) === '' ? '' : parts.join('')}`)

describe.each(PROTOCOLS)('random requests over %s', (protocol) => {
  it('never cause a 5xx response', async () => {
    const causes: unknown[] = []
    const onError = (cause: unknown) => causes.push(cause)
    await using server = await startServer(createRestTranscoder({ routes: echoRoutes(service), onError }), protocol)
    const body = fc.option(
      fc.oneof(
        fc.string(),
        fc.json(),
        flat.map((init) => JSON.stringify(toJson(everything, messageOf(init)))),
      ),
      { nil: undefined },
    )
    const type = fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain')
    const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS')
    await fc.assert(
      fc.asyncProperty(method, target, body, type, async (verb, path, content, contentType) => {
        const headers = { 'content-type': contentType }
        const request = { method: verb, target: path, headers, ...(content === undefined ? {} : { body: content }) }
        const { status } = await server.send(request)
        expect({ status, causes }).toMatchObject({ status: expect.any(Number), causes: [] })
        expect(status).toBeLessThan(500)
      }),
      { numRuns: 1500 },
    )
  })
})

it('100,000 random targets are routed without an exception', () => {
  const answers: number[] = []
  const handler = createRestTranscoder({ routes: echoRoutes(service), fallback: () => answers.push(404) })
  let seed = 42
  const random = (limit: number): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return seed % limit
  }
  const parts = [...characters, ...words]
  let handled = 0
  for (let count = 0; count < 100_000; count++) {
    let url = '/v1'
    for (let left = random(12); left > 0; left--) url += parts[random(parts.length)] ?? ''
    const response = {
      writeHead: (status: number) => answers.push(status),
      end: () => handled++,
      headersSent: false,
      destroyed: false,
    }
    handler({ url, method: 'PATCH', headers: {}, rawHeaders: [] } as never, response as never)
  }
  expect(answers.length).toBeGreaterThan(0)
  expect(answers.every((status) => status === 404 || status === 405 || status === 200)).toBe(true)
})
