import type { NodeHandler } from '../../src/call/node-http.js'
import { createHttpServer, type HttpServer, type HttpServerLimits } from '../../src/http/server.js'

/** A server of its own, with the limits that a service has by default, except for the given ones. */
export function createTestServer(handler: NodeHandler, limits: Partial<HttpServerLimits> = {}): HttpServer {
  const millis = { idleMillis: 75_000, headerMillis: 10_000, requestMillis: 60_000 }
  return createHttpServer(handler, { ...millis, maxHeaderBytes: 32 * 1024, maxStreams: 256, ...limits })
}
