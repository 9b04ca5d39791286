import { once } from 'node:events'
import { createServer } from 'node:net'
import { parseArgs } from 'node:util'

/**
 * Throws where `serve` could not listen on the port that its arguments or the environment name, so that this is told
 * before anything is built or started. What cannot be read as an address is left to `serve` to judge.
 */
export async function requireFreePort(args, environment) {
  const { values } = parseArgs({
    args,
    strict: false,
    options: { port: { type: 'string' }, host: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  const port = Number(values.port ?? (environment.PORT || '8080'))
  const host = values.host ?? (environment.HOST || '127.0.0.1')
  if (values.help || !Number.isInteger(port) || port < 0 || port > 65_535) return
  const server = createServer().listen({ port, host })
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new Error(
      error.code === 'EADDRINUSE'
        ? `port ${port} on ${host} is taken: stop what listens there, or choose another one with PORT or --port`
        : `cannot listen on port ${port} on ${host} (${error.code}): choose others with PORT and HOST, or --port and --host`,
    )
  }
  server.close()
  await once(server, 'close')
}
