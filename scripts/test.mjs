// Runs tests after a build: `node scripts/test.mjs default|slow|all`, then Jest's own arguments. Installs missing tools
// that slow tests need. If that is not possible, the tests are left out, and the output names them; in CI, the run
// fails.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { buildArgv } from 'jest'

const root = join(import.meta.dirname, '..')
const slowTests = JSON.parse(readFileSync(join(root, 'test/slow-tests.json'), 'utf8'))

const [set, ...args] = process.argv.slice(2)
const isWhole = (await buildArgv(args))._.length === 0
const missing = set === 'default' || !isWhole ? [] : await missingTools()
const leftOut = missing.map(({ tool, why }) => {
  const script = `scripts/install-${tool}.sh`
  return `left out: ${testsOf(tool)}; as root on Debian, ${script} installs what they need (here: ${why})\n`
})
process.stderr.write(leftOut.join(''))
if (leftOut.length > 0 && process.env.CI) {
  process.stderr.write('in CI, every tool must be there\n')
  process.exitCode = 1
} else {
  runJest(args, { TESTS: set, MISSING_TOOLS: missing.map(({ tool }) => tool).join(' ') })
  process.stderr.write(leftOut.join(''))
}

/** The tools that could not be installed, each with the last line of what its script printed. */
async function missingTools() {
  const tools = new Set(Object.values(slowTests).flatMap(({ needs = [] }) => needs))
  const found = []
  for (const tool of tools) {
    const why = await install(tool)
    if (why !== undefined) found.push({ tool, why })
  }
  return found
}

/** In a session of its own, where sudo cannot ask for a password. */
async function install(tool) {
  const child = spawn('bash', [join(root, `scripts/install-${tool}.sh`)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [errors, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return status === 0 ? undefined : (errors.trim().split('\n').at(-1) ?? `status ${status}`)
}

function testsOf(tool) {
  const paths = Object.keys(slowTests).filter((path) => slowTests[path].needs?.includes(tool))
  return paths.join(' ')
}

function runJest(jestArgs, env) {
  const options = ['--disable-warning=ExperimentalWarning', join(root, 'node_modules/jest/bin/jest.js')]
  const { status } = spawnSync(process.execPath, [...options, ...jestArgs], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  })
  if (status !== 0) process.exitCode = status ?? 1
}
