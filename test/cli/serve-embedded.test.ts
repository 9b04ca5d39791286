import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { removeEmbeddedPostgres } from '../../harness/remove-embedded-postgres.js'
import { scratchFolder } from '../../harness/scratch-folder.js'
import { type RunningServe, runSvc, startServe } from '../support/program.js'
import { shells } from '../support/shells.js'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

describe('svc serve on the embedded database', () => {
  const dataDir = join(scratchFolder(), `svc-serve-${randomUUID()}`)
  const env = { SVC_DATA_DIR: dataDir }
  let serve: RunningServe

  beforeAll(async () => {
    serve = await startServe(['--demo'], env)
  })
  afterAll(async () => {
    await serve.stop()
    await removeEmbeddedPostgres(dataDir)
    rmSync(dataDir, { recursive: true, force: true })
  })

  /** The commands in a text, each from the start of a line to the first line that does not go on. */
  const commandsIn = (text: string) => text.match(/^(?:export|curl|npx buf) (?:.*\\\n)*.*$/gm) ?? []
  const statusOf = (request: string) => (request.startsWith('curl ') ? `${request} -w '\\n%{http_code}\\n'` : request)
  const paste = async (shell: string, commands: readonly string[], variables: Record<string, string> = {}) => {
    const { stdout } = await run(shell, ['-euc', commands.map(statusOf).join('\n')], {
      env: { ...process.env, ...variables },
      cwd: root,
    })
    return stdout
  }
  const tokenOf = () => /^export TOKEN=(\S+)$/m.exec(serve.banner)?.[1] ?? ''

  it.each(shells)(
    'prints requests that work when pasted into %s, with the token given once, besides the link to the console',
    async (shell) => {
      const commands = commandsIn(serve.banner)
      expect(serve.banner.replace(`/console#token=${tokenOf()}`, '').split(tokenOf())).toHaveLength(2)
      expect(commands[0]).toBe(`export TOKEN=${tokenOf()}`)
      const output = await paste(shell, commands)
      expect(output.match(/^200$/gm)).toHaveLength(commands.length - 2)
      expect(output).toContain('"skippedDirectoryLockedFields":["USER_PROFILE_FIELD_DEPARTMENT"]')
      expect(output).toContain('"userId":"user_dora","relatedUserId":"user_ada"')
      // What buf curl prints is indented.
      expect(output).toContain('\n    "friendlyIdentifier": "ONB-12"')
    },
  )

  it('prints the addresses, and the commands for a key, a token, an import and this summary', async () => {
    expect(serve.banner).toContain(
      `svc listens on ${serve.origin}\n\n  console    ${serve.origin}/console\n  reference  ${serve.origin}/docs\n  ready?     ${serve.origin}/readyz\n  data       ${dataDir}\n`,
    )
    for (const page of ['console', 'docs', 'readyz']) expect((await fetch(`${serve.origin}/${page}`)).status).toBe(200)
    const commands = serve.banner.match(/^ {2}npx svc .*?(?= {2})/gm)?.map((command) => command.trim())
    expect(commands?.map((command) => command.split(' ')[2])).toEqual(['keys', 'tokens', 'import', 'status'])
    const makesKey = commands?.[0]?.split(' ').slice(2) ?? []
    expect((await runSvc(makesKey, { env })).stdout).toContain('svc_secret_pk_')
  })

  it.each(shells)('serves the requests of the first pages in %s', async (shell) => {
    const pages = ['README.md', 'docs/getting-started.md'].map((name) => readFileSync(join(root, name), 'utf8'))
    const blocks = pages.flatMap((page) => [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, text = '']) => text))
    const requests = blocks.flatMap(commandsIn).map((text) => text.replace('http://127.0.0.1:8080', serve.origin))
    expect(requests).toHaveLength(7)
    const output = await paste(shell, requests, { TOKEN: tokenOf() })
    expect(output.match(/^200$/gm)).toHaveLength(4)
    expect(output).toContain('svc.v2.UserService/UpdateUser\n')
    expect(output).toContain('"skippedDirectoryLockedFields":["USER_PROFILE_FIELD_DEPARTMENT"]')
  })

  it('repeats with status what it printed, with the same token while it is valid', async () => {
    const [text, json] = await Promise.all([
      runSvc(['status'], { env, cwd: tmpdir() }),
      runSvc(['status', '--json'], { env }),
    ])
    expect([text.status, text.stderr, text.stdout]).toEqual([0, '', serve.banner])
    const { servers, database, token, requests } = JSON.parse(json.stdout)
    expect({ servers, database }).toEqual({
      servers: [
        {
          url: serve.origin,
          console: `${serve.origin}/console`,
          docs: `${serve.origin}/docs`,
          ready: `${serve.origin}/readyz`,
        },
      ],
      database: dataDir,
    })
    expect(requests.map(({ command }: { command: string }) => command)).toEqual(commandsIn(serve.banner).slice(1))
    expect(token).toBe(tokenOf())
    expect(statSync(join(dataDir, 'demo-token')).mode & 0o777).toBe(0o600)
  })

  it('runs beside the command line: a new key is accepted at once, and revoked at once', async () => {
    const created = await runSvc(['keys', 'create', '--org', 'org_acme', '--json'], { env })
    const key = JSON.parse(created.stdout)
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: key.id, client_secret: key.secret })
    const exchange = await fetch(`${serve.origin}/v2/auth/token`, { method: 'POST', body: form })
    const { access_token: token }: { access_token: string } = JSON.parse(await exchange.text())
    const call = () =>
      fetch(`${serve.origin}/v2/app-instances?teamId=team_it`, { headers: { authorization: `Bearer ${token}` } })
    expect((await call()).status).toBe(200)
    expect((await runSvc(['keys', 'revoke', key.id], { env })).status).toBe(0)
    expect((await call()).status).toBe(401)
  })

  it('runs beside the command line, which reports what it does not find', async () => {
    const { status, stderr } = await runSvc(['keys', 'list', '--org', 'nowhere', '--json'], { env })
    expect([status, stderr]).toEqual([
      1,
      'svc: there is no organization nowhere: "svc organizations list" lists them\n',
    ])
  })

  it('exports what the demo file contains', async () => {
    const exported = await runSvc(['export'], { env })
    expect(exported.status).toBe(0)
    const again = await runSvc(['import', '-'], { env, stdin: exported.stdout })
    expect([again.status, again.stderr]).toEqual([0, ''])
    expect((await runSvc(['export'], { env })).stdout).toBe(exported.stdout)
  })

  it('refuses to run twice on the same data, with a message that explains it', async () => {
    const second = await runSvc(['serve'], { env: { ...env, PORT: '0' } })
    expect(second.status).toBe(1)
    expect(second.stderr).toMatch(/another|already/)
  })

  it('serves HTTP/2 with prior knowledge and HTTP/1.1 on the same port', async () => {
    const url = `${serve.origin}/v2/teams/team_it/sla-definitions`
    for (const version of ['--http1.1', '--http2-prior-knowledge']) {
      const { stdout } = await run('curl', [
        '-s',
        version,
        '-w',
        '\n%{http_code} %{http_version}',
        url,
        '-H',
        `Authorization: Bearer ${tokenOf()}`,
      ])
      expect(stdout.split('\n').at(-1)).toBe(version === '--http1.1' ? '200 1.1' : '200 2')
    }
  })

  it('survives a connection that breaks off in its first bytes', async () => {
    const { hostname, port } = new URL(serve.origin)
    const socket = connect(Number(port), hostname)
    await new Promise((resolve) => socket.write('PR', resolve))
    await new Promise((resolve) => socket.once('close', resolve).destroy())
    expect((await fetch(`${serve.origin}/v2/users`)).status).toBe(401)
  })

  it('announces a new token once the previous one is revoked', async () => {
    const status = async () => JSON.parse((await runSvc(['status', '--json'], { env })).stdout)
    const { token } = await status()
    await fetch(`${serve.origin}/v2/auth/revoke`, { method: 'POST', body: new URLSearchParams({ secret: token }) })
    const { token: next } = await status()
    expect(next).not.toBe(token)
    const answer = await fetch(`${serve.origin}/v2/users`, { headers: { authorization: `Bearer ${next}` } })
    expect(answer.status).toBe(200)
    expect((await status()).token).toBe(next)
  })

  it('keeps all data across a kill -9 of its process, which status notices, and restarts', async () => {
    const before = (await runSvc(['export'], { env })).stdout
    process.kill(serve.pid, 'SIGKILL')
    const { status, stderr } = await runSvc(['status'], { env })
    expect([status, stderr]).toEqual([
      1,
      `svc: no server is running on the data in ${dataDir}: start one with "npx svc serve"\n`,
    ])
    serve = await startServe(['--demo'], env)
    expect((await runSvc(['export'], { env })).stdout).toBe(before)
  })

  it('exits with status 0 when it is asked to stop', async () => {
    expect(await serve.stop()).toBe(0)
  })
})
