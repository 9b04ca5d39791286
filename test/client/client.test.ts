import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  type ClientOptions,
  Code,
  ConnectError,
  createClient,
  eachItem,
  faultsOf,
  reasonOf,
} from '../../client/src/index.js'
import { services } from '../../src/handlers/routes.js'
import { bundle } from '../support/bundle.js'
import { eventually } from '../support/eventually.js'
import { fixture, type InsertedApiKey, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

let service: TestService
let key: InsertedApiKey
beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  key = await insertApiKey(service.database, { organizationId: fixture.acme })
})
afterAll(() => service.stop())

/** What the network does to a request before the service sees it: an answer, an error, or nothing. */
type Mishap = (path: string) => Response | Error | undefined

interface Network {
  /** The last parts of the paths that were asked for, in order. */
  readonly calls: string[]
  readonly waits: number[]
  clock: number
  readonly options: Pick<ClientOptions, 'baseUrl' | 'fetch' | 'timing'>
}

/** The real service behind a network with mishaps, and a clock that stands still; waits take no time. */
function network(mishap: Mishap = () => undefined): Network {
  const calls: string[] = []
  const waits: number[] = []
  const state: Network = {
    calls,
    waits,
    clock: 0,
    options: {
      baseUrl: service.baseUrl,
      fetch: async (input, init) => {
        const path = new Request(input).url.split('/').at(-1) ?? ''
        calls.push(path)
        const fate = mishap(path)
        if (fate instanceof Error) throw fate
        return fate ?? fetch(input, init)
      },
      timing: {
        now: () => state.clock,
        random: () => 0.5,
        wait: async (millis, signal) => {
          signal.throwIfAborted()
          waits.push(millis)
        },
      },
    },
  }
  return state
}

const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ code }), { status, headers: { 'content-type': 'application/json', ...headers } })

/** The mishaps in order, each for one call of a path. */
const inTurn = (path: string, ...mishaps: (() => Response | Error)[]): Mishap => {
  return (asked) => (asked === path ? mishaps.shift()?.() : undefined)
}

const keyCredentials = () => ({ clientId: key.id, clientSecret: key.secret })
const journey = { id: fixture.journeys.it }
const failure = async (call: Promise<unknown>) => ConnectError.from(await call.catch((thrown: unknown) => thrown))

it('the client has every method of the API', () => {
  const { transport: _, ...members } = createClient({ baseUrl: service.baseUrl, credentials: { token: 'unused' } })
  const offered = Object.values(members).flatMap((member) => Object.keys(member))
  expect(offered.sort()).toEqual(services.flatMap((each) => Object.keys(each.method)).sort())
})

describe('access tokens', () => {
  it('are fetched once for concurrent calls, and cached', async () => {
    const { calls, options } = network()
    const svc = createClient({ ...options, credentials: keyCredentials() })
    await Promise.all([svc.journeys.getJourney(journey), svc.journeys.getJourney(journey)])
    const { data } = await svc.journeys.getJourney(journey)
    expect(data?.name).toBe('Journey it')
    expect(calls).toEqual(['CreateToken', 'GetJourney', 'GetJourney', 'GetJourney'])
  })

  it('are replaced a minute before they expire', async () => {
    const state = network()
    const svc = createClient({ ...state.options, credentials: keyCredentials() })
    await svc.journeys.getJourney(journey)
    state.clock = (3600 - 61) * 1000
    await svc.journeys.getJourney(journey)
    expect(state.calls.filter((path) => path === 'CreateToken')).toHaveLength(1)
    state.clock = (3600 - 60) * 1000
    await svc.journeys.getJourney(journey)
    expect(state.calls.filter((path) => path === 'CreateToken')).toHaveLength(2)
  })

  it('that are refused are replaced once, and the call is sent again', async () => {
    const { calls, options } = network()
    const svc = createClient({ ...options, credentials: keyCredentials() })
    await svc.journeys.getJourney(journey)
    await service.database.execute('DELETE FROM api_key_sessions WHERE api_key_id = $1', [key.id])
    expect((await svc.journeys.getJourney(journey)).data?.name).toBe('Journey it')
    expect(calls).toEqual(['CreateToken', 'GetJourney', 'GetJourney', 'CreateToken', 'GetJourney'])
  })

  it('of a revoked key end in an authentication error', async () => {
    const leaked = await insertApiKey(service.database, { organizationId: fixture.acme })
    const svc = createClient({
      ...network().options,
      credentials: { clientId: leaked.id, clientSecret: leaked.secret },
    })
    await svc.journeys.getJourney(journey)
    await svc.auth.revokeLeakedKey({ secret: leaked.secret })
    const error = await failure(svc.journeys.getJourney(journey))
    expect([error.code, reasonOf(error)]).toEqual([Code.Unauthenticated, 'ERROR_REASON_CLIENT_CREDENTIALS_INVALID'])
  })

  it('that are given as text are sent unchanged, and not sent again after a refusal', async () => {
    const { calls, options } = network()
    const svc = createClient({ ...options, credentials: { token: 'svc_token_nothing' } })
    expect((await failure(svc.journeys.getJourney(journey))).code).toBe(Code.Unauthenticated)
    expect(calls).toEqual(['GetJourney'])
  })

  it('from a function are requested again when one is refused', async () => {
    const token = await insertUserToken(service.database, { userId: fixture.users.manager })
    const tokens = ['svc_token_old', token]
    const { calls, options } = network()
    const svc = createClient({ ...options, credentials: { token: () => tokens.shift() ?? '' } })
    expect((await svc.journeys.getJourney(journey)).data?.id).toBe(journey.id)
    expect(calls).toEqual(['GetJourney', 'GetJourney'])
  })

  it('are not sent to methods that need no credential', async () => {
    const { calls, options } = network()
    const svc = createClient({ ...options, credentials: { token: () => Promise.reject(new Error('asked')) } })
    await svc.auth.revokeLeakedKey({ secret: 'not a secret' })
    expect(calls).toEqual(['RevokeLeakedKey'])
  })
})

describe('retries', () => {
  const lost = () => new TypeError('fetch failed')
  const unavailable = () => refusal(503, 'unavailable')

  it('repeat lost reads after waits whose upper bound doubles', async () => {
    const { waits, options } = network(inTurn('GetJourney', lost, unavailable, () => refusal(502, 'unavailable')))
    const svc = createClient({ ...options, credentials: keyCredentials() })
    expect((await svc.journeys.getJourney(journey)).data?.id).toBe(journey.id)
    // Half of 100, 200 and 400 ms: the random number is a half.
    expect(waits).toEqual([50, 100, 200])
  })

  it('wait slightly longer than Retry-After', async () => {
    const { waits, options } = network(inTurn('GetJourney', () => refusal(503, 'unavailable', { 'retry-after': '2' })))
    await createClient({ ...options, credentials: keyCredentials() }).journeys.getJourney(journey)
    expect(waits).toEqual([2050])
  })

  it('give up after the last try with the last error', async () => {
    const { calls, options } = network((path) => (path === 'GetJourney' ? unavailable() : undefined))
    const svc = createClient({ ...options, credentials: keyCredentials(), retry: { maxAttempts: 3 } })
    expect((await failure(svc.journeys.getJourney(journey))).code).toBe(Code.Unavailable)
    expect(calls).toEqual(['CreateToken', 'GetJourney', 'GetJourney', 'GetJourney'])
  })

  it.each([
    ['lost', lost],
    ['answered with 503', unavailable],
  ])('never repeat a creation that was %s and may have succeeded', async (_, mishap) => {
    const { calls, options } = network(inTurn('CreateUser', mishap))
    const svc = createClient({ ...options, credentials: keyCredentials() })
    await expect(svc.users.createUser({ email: 'once@example.com' })).rejects.toThrow()
    expect(calls).toEqual(['CreateToken', 'CreateUser'])
  })

  it.each([
    ['lost', lost],
    ['answered with 503', unavailable],
  ])('repeat a creation that has an Idempotency-Key and was %s', async (what, mishap) => {
    const { calls, options } = network(inTurn('CreateUser', mishap))
    const svc = createClient({ ...options, credentials: keyCredentials() })
    const email = `${what.replaceAll(' ', '-')}@example.com`
    await svc.users.createUser({ email }, { headers: { 'idempotency-key': email } })
    expect(calls).toEqual(['CreateToken', 'CreateUser', 'CreateUser'])
  })

  it('repeat a creation that the service reports as not done', async () => {
    const { calls, options } = network(inTurn('CreateUser', () => refusal(409, 'aborted')))
    const svc = createClient({ ...options, credentials: keyCredentials() })
    await svc.users.createUser({ email: 'again@example.com' })
    expect(calls).toEqual(['CreateToken', 'CreateUser', 'CreateUser'])
  })

  it('repeat a rate-limited call after the wait that the service asks for', async () => {
    const tooOften = () => refusal(429, 'resource_exhausted', { 'retry-after': '7' })
    const { waits, options } = network(inTurn('RevokeLeakedKey', tooOften))
    await createClient({ ...options, credentials: { token: 'unused' } }).auth.revokeLeakedKey({ secret: 'leaked' })
    expect(waits).toEqual([7050])
  })

  it('leave an overlong wait to the caller', async () => {
    const tooOften = () => refusal(429, 'resource_exhausted', { 'retry-after': '7' })
    const { waits, options } = network(inTurn('RevokeLeakedKey', tooOften))
    const svc = createClient({ ...options, credentials: { token: 'unused' }, retry: { maxDelayMillis: 5000 } })
    const error = await failure(svc.auth.revokeLeakedKey({ secret: 'leaked' }))
    expect([error.code, error.metadata.get('retry-after')]).toEqual([Code.ResourceExhausted, '7'])
    expect(waits).toEqual([])
  })

  it('never repeat an update whose version is outdated', async () => {
    const { calls, options } = network()
    const svc = createClient({ ...options, credentials: keyCredentials() })
    const update = svc.users.updateUser({ id: fixture.users.agent }, { headers: { 'if-match': '"over"' } })
    expect(reasonOf(await failure(update))).toBe('ERROR_REASON_ETAG_MISMATCH')
    expect(calls).toEqual(['CreateToken', 'UpdateUser'])
  })

  it('never repeat what the service refuses permanently', async () => {
    const { calls, options } = network()
    const svc = createClient({ ...options, credentials: keyCredentials() })
    expect((await failure(svc.journeys.getJourney({ id: fixture.journeys.globex }))).code).toBe(Code.NotFound)
    expect(calls).toEqual(['CreateToken', 'GetJourney'])
  })

  it('end with the deadline of the call', async () => {
    const { options } = network((path) => (path === 'GetJourney' ? unavailable() : undefined))
    const { timing: _, ...realTime } = options
    const retry = { maxAttempts: 100, initialDelayMillis: 10_000 }
    const svc = createClient({ ...realTime, credentials: keyCredentials(), retry, timeoutMillis: 200 })
    expect((await failure(svc.journeys.getJourney(journey))).code).toBe(Code.DeadlineExceeded)
  })
})

describe('errors', () => {
  it('expose the reason and the field violations', async () => {
    const token = await insertUserToken(service.database, { userId: fixture.users.manager })
    const svc = createClient({ baseUrl: service.baseUrl, credentials: { token } })
    const error = await failure(svc.priorities.updatePriority({ id: fixture.priorities.it, name: '' }))
    expect(reasonOf(error)).toMatch(/^ERROR_REASON_FIELD_/)
    expect(faultsOf(error).map(({ field }) => field)).toEqual(['name'])
    expect([reasonOf(new Error('other')), faultsOf(new Error('other'))]).toEqual([undefined, []])
  })
})

describe('lists', () => {
  it('are iterated page by page to the end, each item once', async () => {
    const svc = createClient({ baseUrl: service.baseUrl, credentials: keyCredentials() })
    const ids: string[] = []
    for await (const user of eachItem((pageToken) => svc.users.listUsers({ pageSize: 3, pageToken }))) ids.push(user.id)
    const { data } = await svc.users.listUsers({})
    expect(ids).toEqual(data.map(({ id }) => id))
    expect(ids.length).toBeGreaterThan(6)
  })
})

describe('an invalid configuration of the client', () => {
  const credentials = { token: 'svc_token_x' }

  it.each([
    ['no scheme', { baseUrl: 'api.example.com', credentials }, /^baseUrl .*https:.*"api\.example\.com"$/],
    ['a port for a scheme', { baseUrl: 'localhost:8080', credentials }, /^baseUrl .*"localhost:8080"$/],
    ['no address', { baseUrl: '', credentials }, /^baseUrl .*""$/],
    ['no credentials', { baseUrl: 'http://127.0.0.1' }, /^credentials lack clientId and clientSecret/],
    ['only an id', { baseUrl: 'http://127.0.0.1', credentials: { clientId: 'x' } }, /^credentials lack clientSecret/],
    [
      'settings that are not set',
      { baseUrl: 'http://127.0.0.1', credentials: { clientId: undefined, clientSecret: '' } },
      /^credentials lack clientId and clientSecret/,
    ],
    ['an empty token', { baseUrl: 'http://127.0.0.1', credentials: { token: '' } }, /^credentials lack token/],
  ])('is reported at once: %s', (_, options, message) => {
    expect(() => Reflect.apply(createClient, undefined, [options])).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(message) }),
    )
  })

  it('with an unreachable address is reported as unavailable, with the address and the cause', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`
    server.close()
    await once(server, 'close')
    const retry = { maxAttempts: 1 }
    for (const given of [credentials, keyCredentials()]) {
      const error = await failure(createClient({ baseUrl, credentials: given, retry }).journeys.getJourney(journey))
      expect(error.code).toBe(Code.Unavailable)
      expect(error.rawMessage).toMatch(new RegExp(`^cannot reach ${baseUrl}: .*ECONNREFUSED`))
    }
  })
})

describe('the example programs', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'svc-examples-'))
  })
  afterAll(() => rm(directory, { recursive: true }))

  const prepare = async (name: string, env: Record<string, string>) => {
    const file = join(directory, name)
    await writeFile(file, await bundle(`examples/${name}`, 'node'))
    const settings = { SVC_URL: service.baseUrl, SVC_CLIENT_ID: key.id, SVC_CLIENT_SECRET: key.secret, ...env }
    return { file, env: { ...process.env, ...settings } }
  }
  const run = async (name: string, given: Record<string, string>) => {
    const { file, env } = await prepare(name, given)
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env })
    return stdout.trimEnd().split('\n')
  }

  it.each([
    ['update-priority.mjs', 'SVC_TOKEN, SVC_PRIORITY'],
    ['list-app-instances.mjs', 'SVC_TEAM'],
    ['sync-profiles.mjs', 'SVC_CLIENT_SECRET'],
    ['follow-events.mjs', 'SVC_CURSOR_FILE'],
  ])('%s explains that %s is not set', async (name, missing) => {
    const unset = Object.fromEntries(missing.split(', ').map((each) => [each, '']))
    const error: unknown = await run(name, unset).catch((failure: unknown) => failure)
    const stderr = `set ${missing} in the environment; see docs/clients.md\n`
    expect(error).toMatchObject({ code: 1, stdout: '', stderr })
  })

  it.each([
    ['update-priority.mjs', { SVC_PRIORITY: 'nowhere' }, /^\[not_found\] .+\n$/],
    ['list-app-instances.mjs', { SVC_TEAM: 'nowhere' }, /^\[not_found\] .+\n$/],
    ['sync-profiles.mjs', { SVC_CLIENT_SECRET: 'wrong' }, /^\[unauthenticated\] .+\n$/],
  ])('%s prints one line if it is refused', async (name, env, line) => {
    const token = await insertUserToken(service.database, { userId: fixture.users.manager })
    const error: unknown = await run(name, { SVC_TOKEN: token, ...env }).catch((failure: unknown) => failure)
    expect(error).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(line) })
  })

  it('update-priority renames a priority and shows an error', async () => {
    const token = await insertUserToken(service.database, { userId: fixture.users.manager })
    const lines = await run('update-priority.mjs', { SVC_TOKEN: token, SVC_PRIORITY: fixture.priorities.it })
    expect(lines[0]).toBe('pri_it is now called Drop everything')
    expect(lines[1]).toMatch(/^refused: ERROR_REASON_FIELD_/)
    expect(lines[2]).toMatch(/^ {2}name: /)
  })

  it('list-app-instances follows the pages', async () => {
    const lines = await run('list-app-instances.mjs', { SVC_TEAM: fixture.it })
    expect(lines).toHaveLength(3)
    expect(lines).toContain(`${fixture.appInstances.shared} Shared`)
  })

  it('follow-events continues where it was when it last ran', async () => {
    const token = await insertUserToken(service.database, { userId: fixture.users.manager })
    const cursorFile = join(directory, 'cursor')
    const reader = await insertApiKey(service.database, { organizationId: fixture.acme })
    const { eventOutbox } = service.database.models
    await eventually(async () => expect(await eventOutbox.findFirst({ select: { ordinal: true } })).toBeNull())
    const latest = await service.rest('GET', '/v2/events?cursor=latest', { token: reader.token })
    await writeFile(cursorFile, latest.json.nextCursor)
    const { file, env } = await prepare('follow-events.mjs', { SVC_CURSOR_FILE: cursorFile })
    for (const name of ['First', 'Second']) {
      const path = `/v2/priorities/${fixture.priorities.it}`
      expect((await service.rest('PATCH', path, { token, json: { name } })).status).toBe(200)
      const before = await readFile(cursorFile, 'utf8')
      const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
      try {
        const [line] = await once(createInterface(child.stdout), 'line')
        expect(line).toMatch(new RegExp(`^\\d+ priority.update ${fixture.priorities.it}$`))
        await eventually(async () => expect(await readFile(cursorFile, 'utf8')).not.toBe(before))
      } finally {
        child.kill()
        await once(child, 'close')
      }
    }
  })

  it('sync-profiles shows that a pin takes precedence over the source', async () => {
    expect(await run('sync-profiles.mjs', {})).toEqual([
      'hr-1001: CREATED, pinned: none',
      'hr-1001: UNCHANGED, pinned: none',
      'hr-1001: UPDATED, pinned: DEPARTMENT',
    ])
  })
})
