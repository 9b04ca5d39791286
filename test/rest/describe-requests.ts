import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createRestTranscoder } from '../../src/rest/index.js'
import { echoRoutes } from './fixture.js'
import { PROTOCOLS, startServer, type TestServer } from './http.js'
import { service } from './row-service.js'
import type { Row } from './rows/row.js'

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
