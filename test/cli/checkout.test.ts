import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { scratchFolder } from '../../harness/scratch-folder.js'
import { runCommand } from '../support/program.js'

const root = join(import.meta.dirname, '../..')
const packageFiles = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'prisma.config.ts']
/** What the build is made of, and what it is made from. */
const builder = ['bin', 'scripts', 'prisma', ...packageFiles]
const copied = [...builder, 'src', 'client/src', 'console', 'gen']

/** Copies places of this checkout into a new one, without what was built and with the same installed packages. */
function createCheckout(names: readonly string[]): string {
  const checkout = mkdtempSync(join(scratchFolder(), 'svc-checkout-'))
  const isSource = (path: string) => path !== join(root, 'gen/prisma')
  for (const name of names) cpSync(join(root, name), join(checkout, name), { recursive: true, filter: isSource })
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'))
  return checkout
}

const runIn = (checkout: string, command: string, args: readonly string[], env: Record<string, string> = {}) =>
  runCommand(command, args, { cwd: checkout, env: { npm_config_cache: join(checkout, '.npm'), ...env } })
const versionOf = (checkout: string) => runIn(checkout, join(checkout, 'bin/svc.mjs'), ['--version'])
const upToDate = { status: 0, stdout: '0.1.0\n', stderr: '' }
const built = { ...upToDate, stderr: 'svc: building …\n' }

describe('what npm ci installs', () => {
  it('is made for Node 20, except for two packages that npm warns about', () => {
    const lockfile: { packages: Record<string, { engines?: { node?: string } }> } = JSON.parse(
      readFileSync(join(root, 'package-lock.json'), 'utf8'),
    )
    // Every alternative of a range is a later version.
    const isLater = (range: string) => range.split('||').every((part) => Number(/\d+/.exec(part)?.[0] ?? 0) > 20)
    const later = Object.entries(lockfile.packages).filter(([, { engines }]) => isLater(engines?.node ?? '*'))
    expect(later.map(([path]) => path)).toEqual([
      'node_modules/@bufbuild/protoc-gen-es',
      'node_modules/@prisma/streams-local',
    ])
  })
})

describe('svc in a checkout', () => {
  let checkout: string
  beforeAll(() => {
    checkout = createCheckout(copied)
  })
  afterAll(() => rmSync(checkout, { recursive: true }))

  const run = (command: string, args: readonly string[], env: Record<string, string> = {}) =>
    runIn(checkout, command, args, env)
  const version = () => versionOf(checkout)

  it.each([
    ['PORT', (port: string) => run('npm', ['start', '--silent'], { PORT: port })],
    ['--port', (port: string) => run('npm', ['start', '--silent', '--', `--port=${port}`, '--host', '127.0.0.1'])],
  ])('reports that the port of %s is taken before anything is built', async (_, start) => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const { port } = Object(holder.address())
    const { status, stderr } = await start(String(port))
    expect([status, stderr]).toEqual([1, expect.stringContaining(`svc: port ${port} on 127.0.0.1 is taken: `)])
    expect(stderr).toMatch(/PORT or --port\n$/)
    expect(existsSync(join(checkout, 'dist'))).toBe(false)
    await once(holder.close(), 'close')
  })

  it('runs with npx before the first build, from any folder in it, even when several start at once', async () => {
    const npx = () =>
      runCommand('npx', ['--offline', 'svc', '--version'], {
        cwd: join(checkout, 'src'),
        env: { npm_config_cache: join(checkout, '.npm') },
      })
    const results = await Promise.all([npx(), version(), version()])
    expect(results.map(({ status, stdout }) => [status, stdout])).toEqual(Array(3).fill([0, '0.1.0\n']))
    expect(results.filter(({ stderr }) => stderr.includes('building'))).toHaveLength(1)
  })

  it('is not rebuilt while nothing has changed', async () => {
    expect(await version()).toEqual(upToDate)
  })

  it('names the command that installs its build tools', async () => {
    const empty = join(checkout, 'empty')
    mkdirSync(empty)
    for (const name of copied.filter((each) => each !== 'gen'))
      cpSync(join(checkout, name), join(empty, name), { recursive: true })
    const { status, stderr } = await runCommand(join(empty, 'bin/svc.mjs'), ['--version'])
    expect([status, stderr]).toEqual([1, expect.stringMatching(/run "npm ci" in .*\/empty\n$/)])
  })
})

describe('the build of a checkout', () => {
  let checkout: string
  beforeAll(async () => {
    // The build does not ask what the tables, the program and the console are: one table, and programs of one line, build
    // several times in the time of whole ones.
    checkout = createCheckout([...builder, 'console/index.html', 'console/package.json', 'console/src/style'])
    mkdirSync(join(checkout, 'src'))
    const schema = join(checkout, 'prisma/schema.prisma')
    const generators = readFileSync(schema, 'utf8').replace(/^enum .*/ms, '')
    writeFileSync(schema, `${generators}model One {\n  id String @id\n}\n`)
    writeFileSync(join(checkout, 'src/main.ts'), "process.stdout.write('0.1.0\\n')\n")
    writeFileSync(join(checkout, 'console/src/main.tsx'), "document.title = 'console'\n")
    expect(await version()).toEqual(built)
  })
  afterAll(() => rmSync(checkout, { recursive: true }))

  const version = () => versionOf(checkout)

  it('is repeated when a source was added, changed or removed, and when a built file is missing', async () => {
    const source = join(checkout, 'src/added.ts')
    const output = join(checkout, 'dist/src/added.js')
    writeFileSync(source, 'export const added = 1\n')
    expect([await version(), existsSync(output)]).toEqual([built, true])
    writeFileSync(source, 'export const added: string = 1\n')
    const broken = await version()
    expect([broken.status, broken.stdout]).toEqual([1, ''])
    expect(broken.stderr).toMatch(/^svc: building …\nsvc: cannot build:\nsrc\/added\.ts.*TS2322.*\n+$/)
    rmSync(source)
    expect([await version(), existsSync(output)]).toEqual([built, false])
    rmSync(join(checkout, 'dist/src/main.js'))
    rmSync(join(checkout, 'gen/prisma/client.ts'))
    expect(await version()).toEqual(built)
    expect(await version()).toEqual(upToDate)
  })

  it('resumes after it was killed', async () => {
    rmSync(join(checkout, 'dist/build.json'))
    const killed = spawn(process.execPath, ['--version'])
    await once(killed, 'exit')
    symlinkSync(String(killed.pid), join(checkout, 'dist/build.lock'))
    expect(await version()).toEqual(built)
  })
})
