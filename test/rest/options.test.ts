import { readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { echo, handlerOf, json } from './echo.js'
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

  it('small responses are not compressed', async () => {
    await using server = await startServer(handlerOf(echo))
    const response = await server.send({ target: '/v1/things/a', headers: { 'accept-encoding': 'gzip' } })
    expect(response.headers['content-encoding']).toBeUndefined()
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
