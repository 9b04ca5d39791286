import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createRestTranscoder } from '../../src/rest/index.js'
import { defineService, echoRoutes, type MethodInit } from './fixture.js'
import { PROTOCOLS, startServer, type TestRequest, type TestServer } from './http.js'

// One field of a message that has a required one.
function demanding(field: string): MethodInit {
  const rule = { get: `/v1/demanding/${field}`, responseBody: field }
  return { rule, input: 'Demanding', output: 'Demanding' }
}

const service = defineService({
  Get: { rule: { get: '/v1/things/{id}' } },
  Archive: { rule: { post: '/v1/things/{id}:archive', body: '*' } },
  Create: { rule: { post: '/v1/things', body: '*' } },
  List: { rule: { get: '/v1/things' } },
  PutLeaf: { rule: { put: '/v1/things/{id}/leaf', body: 'leaf' } },
  PatchNested: { rule: { patch: '/v1/{leaf.name=leaves/*}', body: 'leaf' } },
  SetNames: { rule: { put: '/v1/things/{id}/names', body: 'names' } },
  SetLabels: { rule: { put: '/v1/things/{id}/labels', body: 'labels' } },
  SetCount: { rule: { put: '/v1/things/{id}/count', body: 'i64' } },
  SetText: { rule: { put: '/v1/things/{id}/text', body: 'opt' } },
  SetAt: { rule: { put: '/v1/things/{id}/at', body: 'at' } },
  SetWrapper: { rule: { put: '/v1/things/{id}/wrapper', body: 'int64_wrapper' } },
  SetValue: { rule: { put: '/v1/things/{id}/value', body: 'value' } },
  SetChoice: { rule: { put: '/v1/things/{id}/choice', body: 'choice_leaf' } },
  GetLeaf: { rule: { get: '/v1/things/{id}/leaf', responseBody: 'leaf' } },
  GetNames: { rule: { get: '/v1/things/{id}/names', responseBody: 'names' } },
  GetLabels: { rule: { get: '/v1/things/{id}/labels', responseBody: 'labels' } },
  GetCount: { rule: { get: '/v1/things/{id}/count', responseBody: 'i64' } },
  GetOpt: { rule: { get: '/v1/things/{id}/text', responseBody: 'opt' } },
  GetColor: { rule: { get: '/v1/things/{id}/color', responseBody: 'color' } },
  GetAt: { rule: { get: '/v1/things/{id}/at', responseBody: 'at' } },
  GetWrapper: { rule: { get: '/v1/things/{id}/wrapper', responseBody: 'int64_wrapper' } },
  GetChoice: { rule: { get: '/v1/things/{id}/choice', responseBody: 'choice_text' } },
  GetFile: { rule: { get: '/v1/files/{id=**}' } },
  Multi: {
    rule: {
      get: '/v1/{id=shelves/*/books/*}',
      additional: [{ get: '/v2/books/{id}' }, { post: '/v2/books', body: '*' }],
    },
  },
  PathInt: { rule: { get: '/v1/int/{i32}' } },
  PathLong: { rule: { get: '/v1/long/{i64}' } },
  PathColor: { rule: { get: '/v1/color/{color}' } },
  PathAt: { rule: { get: '/v1/at/{at}' } },
  PathChoice: { rule: { post: '/v1/choice/{choice_text}', body: '*' } },
  PathDeep: { rule: { post: '/v1/deep/{self.leaf.name}', body: '*' } },
  Purge: { rule: { custom: { kind: 'PURGE', path: '/v1/things/{id}' } } },
  Anything: { rule: { custom: { kind: '*', path: '/v1/any/{id}' } } },
  AnyGet: { rule: { get: '/v1/any/{id}', responseBody: 'id' } },
  Delete: { rule: { delete: '/v1/things/{id}' } },
  Upload: { rule: { post: '/v1/things/{id}/file', body: 'file' } },
  Download: { rule: { get: '/v1/things/{id}/file', responseBody: 'file' } },
  Raw: { rule: { post: '/v1/raw', body: '*' }, input: 'google.api.HttpBody', output: 'google.api.HttpBody' },
  Old: { rule: { get: '/v1/old', additional: [{ post: '/v1/old', body: '*' }] }, input: 'Old', output: 'Old' },
  Demanding: {
    rule: { get: '/v1/demanding', additional: [{ post: '/v1/demanding/{name}', body: '*' }] },
    input: 'Demanding',
    output: 'Demanding',
  },
  DemandingClosed: demanding('closed'),
  DemandingData: demanding('data'),
  DemandingRatio: demanding('ratio'),
  DemandingBig: demanding('big'),
  DemandingNext: demanding('next'),
  Instant: {
    rule: { get: '/v1/instant' },
    input: 'google.protobuf.Timestamp',
    output: 'google.protobuf.Timestamp',
  },
  Crossed: {
    rule: { get: '/v1/crossed', additional: [{ post: '/v1/crossed', body: '*' }] },
    input: 'Crossed',
    output: 'Crossed',
  },
  Unmapped: {},
})

export const json = { 'content-type': 'application/json' }
export const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** A request, and what is answered. */
export interface Row {
  readonly name: string
  readonly request: TestRequest
  readonly status?: number
  readonly json?: unknown
  readonly text?: string
  /** What the message of an error says. */
  readonly error?: string
  readonly headers?: Record<string, string>
}

/** A GET of a target. */
export function get(target: string): TestRequest {
  return { target }
}

/** A request with a body, JSON where nothing else is said. */
export function send(
  method: string,
  target: string,
  body: string | Uint8Array,
  headers: TestRequest['headers'] = json,
): TestRequest {
  return { method, target, body, headers }
}

/** A request that is answered 200 with JSON. */
export const ok = (name: string, request: TestRequest, value: unknown): Row => ({ name, request, json: value })
/** A request that is refused, and a part of the message. */
export const bad = (name: string, request: TestRequest, error: string, status = 400): Row => ({
  name,
  request,
  status,
  error,
})

/** Sends the rows of each part to a service that echoes, over every version of HTTP. */
export function describeRequests(parts: Readonly<Record<string, readonly Row[]>>): void {
  for (const protocol of PROTOCOLS) {
    describe(protocol, () => {
      let server: TestServer
      beforeAll(async () => {
        server = await startServer(createRestTranscoder({ routes: echoRoutes(service) }), protocol)
      })
      afterAll(async () => server[Symbol.asyncDispose]())

      for (const [part, rows] of Object.entries(parts)) {
        describe(part, () => {
          it.each(rows)('$name', async (row) => {
            // HTTP/2 has no absolute form of its target.
            if (protocol === 'HTTP/2' && row.request.target.startsWith('http'))
              return expect(row.status ?? 200).toBe(200)
            const response = await server.send(row.request)
            expect({ status: response.status, text: response.text }).toMatchObject({ status: row.status ?? 200 })
            if (row.json !== undefined) expect(JSON.parse(response.text)).toEqual(row.json)
            if (row.text !== undefined) expect(response.text).toBe(row.text)
            if (row.headers !== undefined) expect(response.headers).toMatchObject(row.headers)
            if (row.error !== undefined) {
              expect(response.headers['content-type']).toBe('application/json')
              const code = { 400: 'invalid_argument', 404: 'not_found', 405: 'unimplemented', 415: 'invalid_argument' }
              expect(JSON.parse(response.text)).toMatchObject({
                code: code[response.status as keyof typeof code],
                message: expect.stringContaining(row.error),
              })
            }
          })
        })
      }
    })
  }
}
