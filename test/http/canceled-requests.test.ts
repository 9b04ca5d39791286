import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { eventually } from '../support/eventually.js'
import { answerFrames, openSocket, preface, requestFrames } from '../support/http2-client.js'
import { frame } from '../support/http2-frame.js'
import { startTestService, type TestService } from '../support/service.js'

const RST_STREAM = 3
const CANCEL = Buffer.from([0, 0, 0, 8])
const REQUESTS = 500

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

it('requests over HTTP/2 that are canceled as they are sent are not begun, and others are answered', async () => {
  const fields = (path: string) => ({ ':method': 'GET', ':scheme': 'http', ':path': path, ':authority': 'localhost' })
  const socket = await openSocket(Number(new URL(service.baseUrl).port))
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  const canceled = Array.from({ length: REQUESTS }, (_, index) => {
    const stream = 2 * index + 1
    return Buffer.concat([requestFrames(stream, fields('/v2/canceled')), frame(RST_STREAM, 0, stream, CANCEL)])
  })
  const last = 2 * REQUESTS + 1
  socket.write(Buffer.concat([preface(65_535), ...canceled, requestFrames(last, fields('/healthz'))]))
  await eventually(() => {
    const answer = answerFrames(Buffer.concat(received)).get(last)
    expect(answer?.at(-1)?.endsStream).toBe(true)
  })
  socket.destroy()
  // Where a part of what was sent has ended, a request came without its end.
  const begun = service.logLines.filter((line) => line.includes('/v2/canceled')).length
  expect(begun).toBeLessThan(REQUESTS / 10)
})
