import { readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { createRestTranscoder, type RestTranscoderOptions } from '../../src/rest/index.js'
import { echo, handlerOf, json } from './echo.js'
import { defineService, routesOf } from './fixture.js'
import { startServer } from './http.js'

describe('options', () => {
  it('fallback gets exactly the unknown paths', async () => {
    await using server = await startServer(
      handlerOf(echo, {
        fallback: (request, response) => {
          response.statusCode = 299
          response.setHeader('x-url', request.url ?? '')
          response.end()
        },
      }),
    )
    const other = await server.send({ method: 'POST', target: '/other?x=1' })
    expect(other.status).toBe(299)
    expect(other.headers['x-url']).toBe('/other?x=1')
    expect(await server.send({ method: 'OPTIONS', target: '/other' })).toMatchObject({ status: 299 })
    expect(await server.send({ method: 'PUT', target: '/v1/things/a' })).toMatchObject({ status: 405 })
  })

  it('unknownQuery: ignore skips names that bind nothing and names bound by the path, but no invalid values', async () => {
    await using server = await startServer(handlerOf(echo, { unknownQuery: 'ignore' }))
    expect((await server.send({ target: '/v1/things/a?nope=1&leaf.nope=2&i32=3' })).text).toBe('{"id":"a","i32":3}\n')
    expect((await server.send({ target: '/v1/things/a?i32=x' })).status).toBe(400)
    expect((await server.send({ target: '/v1/things/a?id=x' })).text).toBe('{"id":"a"}\n')
  })

  it('systemParameters are skipped, under body * too', async () => {
    await using server = await startServer(handlerOf(echo, { systemParameters: ['$alt', 'key'] }))
    expect((await server.send({ target: '/v1/things/a?%24alt=json&key=x&key=y' })).text).toBe('{"id":"a"}\n')
    expect((await server.send({ method: 'POST', target: '/v1/things?key=x' })).status).toBe(200)
    expect((await server.send({ target: '/v1/things/a?alt=json' })).status).toBe(400)
  })

  it('completeError adds to every error, and adds nothing if it fails', async () => {
    const failures: unknown[] = []
    await using server = await startServer(
      handlerOf(echo, {
        completeError: (error, status) => {
          if (status === 405) throw new Error('no')
          error.details.push({ type: 'test.Status', value: new Uint8Array([status % 256]) })
        },
        onError: (cause) => failures.push(cause),
      }),
    )
    expect(JSON.parse((await server.send({ target: '/other' })).text).detail).toEqual({
      type: 'test.Status',
      value: 'lA',
    })
    expect(JSON.parse((await server.send({ method: 'PUT', target: '/v1/things/a' })).text).detail).toBeUndefined()
    expect(failures).toEqual([new Error('no')])
  })

  it('errorBody: status returns google.rpc.Status', async () => {
    await using server = await startServer(handlerOf(echo, { errorBody: 'status' }))
    const response = await server.send({ target: '/v1/things/a?i32=x' })
    expect(JSON.parse(response.text)).toEqual({
      code: 3,
      message: 'i32: expected a decimal integer, got "x"',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'i32', description: 'expected a decimal integer, got "x"' }],
        },
      ],
    })
  })

  it('errorBody as a function may replace the body of one method', async () => {
    const seen: unknown[] = []
    await using server = await startServer(
      handlerOf(echo, {
        errorBody: (error, { method }) => {
          seen.push(method?.name)
          return method === undefined ? undefined : { contentType: 'text/plain', body: `no: ${error.rawMessage}` }
        },
      }),
    )
    const response = await server.send({ target: '/v1/things/a?i32=x' })
    expect(response).toMatchObject({ status: 400, text: 'no: i32: expected a decimal integer, got "x"' })
    expect(response.headers['content-type']).toBe('text/plain')
    expect(JSON.parse((await server.send({ target: '/nowhere' })).text).code).toBe('not_found')
    expect(seen).toEqual(['Get', undefined])
  })

  it('defaultBindings mount a method without a rule', async () => {
    await using server = await startServer(handlerOf(echo, { defaultBindings: true }))
    const target = '/rest.test.v1.TestService/Unmapped'
    expect((await server.send({ method: 'POST', target, headers: json, body: '{"id":"a"}' })).text).toBe('{"id":"a"}\n')
    expect((await server.send({ target: '/rest.test.v1.TestService/Get' })).status).toBe(404)
  })

  it('defaultBindings leave RPC protocols to the fallback', async () => {
    const fallback: RestTranscoderOptions['fallback'] = (_request, response) => {
      response.writeHead(299)
      response.end()
    }
    await using server = await startServer(handlerOf(echo, { defaultBindings: true, fallback }))
    const target = '/rest.test.v1.TestService/Unmapped'
    const post = async (headers: Record<string, string>) =>
      (await server.send({ method: 'POST', target, headers, body: '{}' })).status
    for (const type of [
      'application/grpc',
      'application/grpc-web+proto',
      'application/proto',
      'application/connect+json',
    ]) {
      expect(await post({ 'content-type': type })).toBe(299)
    }
    expect(await post({ ...json, 'connect-protocol-version': '1' })).toBe(299)
    expect((await server.send({ target: `${target}?connect=v1&encoding=json&message=%7B%7D` })).status).toBe(299)
    expect(await post(json)).toBe(200)
    expect(await post({ 'content-type': 'text/plain' })).toBe(415)
    expect((await server.send({ target })).status).toBe(405)
  })

  it('jsonOptions control how JSON is printed and parsed', async () => {
    const options = { jsonOptions: { useProtoFieldName: true, enumAsInteger: true, ignoreUnknownFields: true } }
    await using server = await startServer(handlerOf(echo, options))
    const body = '{"floatValue":1,"color":"COLOR_RED","nope":{"x":[1]},"colors":["NOPE",2]}'
    const response = await server.send({ method: 'POST', target: '/v1/things', headers: json, body })
    expect(response.text).toBe('{"float_value":1,"color":1,"colors":[2]}\n')
  })

  it('alwaysEmitImplicit prints every field without presence', async () => {
    await using server = await startServer(handlerOf(echo, { jsonOptions: { alwaysEmitImplicit: true } }))
    const response = JSON.parse((await server.send({ target: '/v1/things/a' })).text)
    expect(response).toMatchObject({
      id: 'a',
      flag: false,
      i64: '0',
      names: [],
      labels: {},
      color: 'COLOR_UNSPECIFIED',
    })
    expect(response).not.toHaveProperty('opt')
  })

  it('requestTypes, maxBodyBytes and emptyResponse apply per method', async () => {
    await using server = await startServer(
      handlerOf(echo, {
        requestTypes: () => ['form'],
        maxBodyBytes: (method) => (method.name === 'Create' ? 20 : 0),
        emptyResponse: (method) => method.name === 'Create',
      }),
    )
    const post = { method: 'POST', target: '/v1/things' }
    expect((await server.send({ ...post, headers: json, body: '{}' })).status).toBe(415)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const fine = await server.send({ ...post, headers: form, body: 'id=a' })
    expect(fine).toMatchObject({ status: 200, text: '' })
    expect(fine.headers['content-length']).toBe('0')
    expect((await server.send({ ...post, headers: form, body: `id=${'a'.repeat(18)}` })).status).toBe(413)
    expect((await server.send({ target: '/v1/things/a' })).text).toBe('{"id":"a"}\n')
  })

  it('small responses are never compressed', async () => {
    await using server = await startServer(handlerOf(echo))
    const headers = { 'accept-encoding': 'gzip' }
    expect((await server.send({ target: '/v1/things/a', headers })).headers['content-encoding']).toBeUndefined()
  })

  it('fullyDecodeReservedExpansion decodes slashes in multi-segment captures', async () => {
    const files = defineService({ Get: { rule: { get: '/files/{id=**}' } } })
    await using server = await startServer(
      createRestTranscoder({ routes: routesOf(files, echo), fullyDecodeReservedExpansion: true }),
    )
    expect((await server.send({ target: '/files/a%2Fb/c' })).text).toBe('{"id":"a/b/c"}\n')
  })
})

describe('content negotiation of codings', () => {
  it.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['deflate, gzip;q=0.5', 'deflate'],
    ['gzip;q=0, br;q=0.1', 'br'],
    ['*', 'gzip'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['identity;q=1, gzip;q=0.5', undefined],
    ['gzip, deflate, br', 'gzip'],
    ['compress', undefined],
    ['', undefined],
    ['gzip;q=nonsense', undefined],
  ])('Accept-Encoding %s gives %s', async (header, coding) => {
    await using server = await startServer(handlerOf(() => ({ id: 'a'.repeat(5000) })))
    const response = await server.send({ target: '/v1/things/a', headers: { 'accept-encoding': header } })
    expect(response.headers['content-encoding']).toBe(coding)
    expect(response.headers['vary']).toBe('accept-encoding')
  })
})

it('every option is in the table of the README', () => {
  const declared = ['src/rest/options.ts', 'src/call/serve-call.ts'].flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const bodies = [...text.matchAll(/^export interface (?:RestTranscoderOptions|CallHooks)\b[^{]*\{\n(.*?)^\}/gms)]
    return bodies.flatMap(([, body = '']) => [...body.matchAll(/^ {2}readonly (\w+)/gm)].map(([, name = '']) => name))
  })
  const rows = readFileSync('src/rest/README.md', 'utf8')
    .match(/^\| `.*?\|/gm)
    ?.join('')
  const listed = rows?.match(/(?<=`)\w+(?=`)/g)
  expect(new Set(listed)).toEqual(new Set(declared))
  expect(declared.length).toBeGreaterThan(20)
})
