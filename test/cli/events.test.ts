import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { parse } from 'yaml'
import { systemTiming } from '../../src/db/retries.js'
import { runInProcess } from '../support/command-line.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

const { acme, globex, priorities, users } = fixture

describe('svc events tail', () => {
  let service: TestService
  let key: string
  let admin: string
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-events-'))
    service = await startTestService()
    await insertFixture(service.database)
    key = (await insertApiKey(service.database, { organizationId: acme })).token
    admin = await insertUserToken(service.database, { userId: users.admin })
    await rename('One', 'Two', 'Three')
  })
  afterAll(async () => {
    await service.stop()
    await rm(folder, { recursive: true })
  })

  const tail = (args: readonly string[], stopSignal = new AbortController().signal) =>
    runInProcess(['events', 'tail', ...args], { env: service.testDatabase.environment, stopSignal })
  const tailOk = async (...args: readonly string[]) => {
    const { status, stdout, stderr } = await tail(['--org', acme, ...args])
    expect([status, stderr]).toEqual([0, stderr])
    return {
      lines:
        stdout === ''
          ? []
          : stdout
              .trimEnd()
              .split('\n')
              .map((line) => JSON.parse(line)),
      stderr,
    }
  }
  const list = async (query: string) => (await service.rest('GET', `/v2/events?${query}`, { token: key })).json
  /** Makes an event for each name, and waits for it to be in the feed. */
  const rename = async (...names: readonly string[]) => {
    for (const name of names) {
      const { status } = await service.rest('PATCH', `/v2/priorities/${priorities.it}`, {
        token: admin,
        json: { name },
      })
      expect(status).toBe(200)
    }
    const { eventOutbox } = service.database.models
    await eventually(async () => expect(await eventOutbox.findFirst({ select: { ordinal: true } })).toBeNull())
  }

  it('prints the events of the API, a line each, and where to continue', async () => {
    const { data, nextCursor } = await list('pageSize=1000')
    expect(data.length).toBeGreaterThanOrEqual(3)
    expect(await tailOk()).toEqual({ lines: data, stderr: `continue with --from ${nextCursor}\n` })
  })

  it('begins after a cursor, or after all', async () => {
    const { nextCursor, data } = await list('pageSize=1')
    const { lines, stderr } = await tailOk('--from', nextCursor)
    const all = (await list('')).data
    expect([...data, ...lines]).toEqual(all)
    expect(await tailOk('--from', 'latest')).toEqual({ lines: [], stderr })
  })

  it('prints those of another organization only for it', async () => {
    const { status, stdout } = await tail(['--org', globex])
    expect(status).toBe(0)
    expect(stdout).not.toContain(acme)
  })

  it('goes on until it is interrupted, and then says where to continue', async () => {
    const stop = new AbortController()
    const file = join(folder, 'followed')
    const before = (await list('cursor=latest')).nextCursor
    await writeFile(file, `${before}\n`)
    const following = tail(['--org', acme, '--follow', '--cursor-file', file], stop.signal)
    await rename('Followed', 'Followed on')
    const after = (await list('cursor=latest')).nextCursor
    await eventually(async () => expect(await readFile(file, 'utf8')).toBe(`${after}\n`))
    stop.abort()
    const { status, stdout, stderr } = await following
    expect([status, stderr]).toEqual([0, ''])
    const printed = stdout.trimEnd().split('\n')
    expect(printed.map((line) => JSON.parse(line))).toEqual((await list(`cursor=${before}`)).data)
    const stopped = new AbortController()
    const { sleep } = systemTiming
    jest.spyOn(systemTiming, 'sleep').mockImplementation((millis, until) => {
      // It has looked, and waits before it looks again.
      if (until === stopped.signal) stopped.abort()
      return sleep(millis, until)
    })
    const waiting = tail(['--org', acme, '--follow', '--from', after], stopped.signal)
    expect(await waiting).toEqual({ status: 0, stdout: '', stderr: `continue with --from ${after}\n` })
  })

  it('prints each event once over several runs with a cursor file', async () => {
    const file = join(folder, 'runs')
    const first = await tailOk('--cursor-file', file)
    expect(first).toEqual({ lines: (await list('')).data, stderr: '' })
    expect((await tailOk('--cursor-file', file)).lines).toEqual([])
    await rename('Later')
    expect((await tailOk('--cursor-file', file, '--from', 'latest')).lines).toMatchObject([{ type: 'priority.update' }])
  })

  it.each([
    [['--org', 'org_none'], 'svc: there is no organization org_none'],
    [['--org', acme, '--from', 'altered'], 'svc: cursor: was altered'],
    [['--org', acme, '--cursor-file', '/'], 'svc: EISDIR'],
    [[], "error: required option '--org <id>'"],
  ])('refuses %j', async (args, fault) => {
    const { status, stdout, stderr } = await tail(args)
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining(fault)])
  })

  it('runs as the guide has log shippers run it', async () => {
    const guide = await readFile(join(import.meta.dirname, '../../docs/events.md'), 'utf8')
    const snippets = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => parse(text))
    const { sources, pipeline } = Object.assign({}, ...snippets)
    const commands: string[][] = [sources.svc.command, pipeline.inputs[0].command.split(' ')]
    expect(commands).toHaveLength(2)
    for (const [index, [program, ...words]] of commands.entries()) {
      expect(program).toBe('/opt/svc/bin/svc.mjs')
      const file = words.indexOf('--cursor-file') + 1
      const cursorFile = join(folder, `shipper-${index}`)
      const own = words.map((word, at) => (at === file ? cursorFile : word))
      const stop = new AbortController()
      const line = own.map((word) => (word === 'org_acme' ? acme : word))
      const run = runInProcess(line, { env: service.testDatabase.environment, stopSignal: stop.signal })
      const { nextCursor } = await list('cursor=latest')
      await eventually(async () => expect(await readFile(cursorFile, 'utf8')).toBe(`${nextCursor}\n`))
      stop.abort()
      const { status, stdout } = await run
      expect([status, stdout.split('\n').length]).toEqual([0, (await list('')).data.length + 1])
    }
  })
})
