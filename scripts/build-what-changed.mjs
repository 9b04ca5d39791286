import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

const root = join(import.meta.dirname, '..')
/** A digest of the inputs and outputs of each step. Missing while a build runs, and after one that was cut off. */
const record = join(root, 'dist/build.json')
/** A link to the id of the process that builds. */
const lock = join(root, 'dist/build.lock')

/**
 * Packages that are not bundled: they read files of their own folders, or only some configurations need them. All
 * others are bundled, since opening and compiling their many modules one by one would take most of the start.
 */
const notBundled = /^(?:pino|cli-progress|prom-client|@opentelemetry\/.+)$/

/**
 * The steps in their order: each reads the outputs of the one before. The lockfile stands for the versions of the
 * tools.
 */
const steps = [
  {
    inputs: ['prisma/schema.prisma', 'prisma.config.ts', 'scripts/schema-generator.mjs', 'package-lock.json'],
    outputs: ['gen/prisma'],
    run: () => {
      // Prisma refuses a folder that contains only parts of a client.
      rmSync(join(root, 'gen/prisma'), { recursive: true, force: true })
      return runTool('prisma/build/index.js', ['generate', '--no-hints'])
    },
  },
  {
    inputs: ['src', 'gen', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'],
    outputs: ['dist/src', 'dist/gen'],
    run: async () => {
      const output = await runTool('typescript/bin/tsc', ['-p', 'tsconfig.build.json', '--listEmittedFiles'])
      const written = new Set(output.split('\n').map((line) => resolve(line.replace(/^TSFILE: /, ''))))
      removeOthers(['dist/src', 'dist/gen'], written)
    },
  },
  {
    inputs: ['dist/src', 'dist/gen', 'scripts/build-what-changed.mjs', 'package-lock.json'],
    outputs: ['dist/svc'],
    run: async () => {
      const { rolldown } = await import('rolldown')
      const bundle = await rolldown({ input: join(root, 'dist/src/main.js'), platform: 'node', external: notBundled })
      const { output } = await bundle.write({ dir: join(root, 'dist/svc'), chunkFileNames: '[name].js' })
      removeOthers(['dist/svc'], new Set(output.map(({ fileName }) => join(root, 'dist/svc', fileName))))
    },
  },
  {
    inputs: [
      'console',
      'client/src',
      'gen/svc',
      'gen/google',
      'gen/buf',
      'scripts/build-console.mjs',
      'package-lock.json',
    ],
    outputs: ['dist/console'],
    run: async () => (await import('./build-console.mjs')).buildConsole(),
  },
]

function removeOthers(places, written) {
  for (const file of filesIn(places)) if (!written.has(file)) rmSync(file)
}

/**
 * Brings the build up to date: generates Prisma's client, compiles src/ and gen/ into dist/src and dist/gen, bundles
 * these into the program, dist/svc, and builds the console, dist/console. If several processes do so at once, one
 * builds and the others wait. Throws with the output of the tool that failed.
 */
export async function buildWhatChanged() {
  if (isUpToDate(readRecord())) return
  mkdirSync(join(root, 'dist'), { recursive: true })
  await takeLock()
  try {
    const before = readRecord()
    if (isUpToDate(before)) return
    process.stderr.write('svc: building …\n')
    rmSync(record, { force: true })
    const after = []
    for (const [index, step] of steps.entries()) {
      if (before[index] !== digestOf(step)) await step.run()
      after.push(digestOf(step))
    }
    writeFileSync(record, JSON.stringify(after))
  } finally {
    rmSync(lock)
  }
}

function readRecord() {
  return existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : []
}

function isUpToDate(before) {
  return before.length === steps.length && steps.every((step, index) => before[index] === digestOf(step))
}

function digestOf({ inputs, outputs }) {
  const hash = createHash('sha256')
  for (const file of filesIn([...inputs, ...outputs])) {
    const bytes = readFileSync(file)
    hash.update(`${relative(root, file)} ${bytes.length}\n`).update(bytes)
  }
  return hash.digest('hex')
}

/**
 * The absolute paths of the files in folders of the package, or of single files. Skips missing ones, and `dist`
 * folders.
 */
function filesIn(places) {
  return places.flatMap((place) => {
    const path = join(root, place)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats?.isDirectory()) return stats === undefined ? [] : [path]
    const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const files = entries.map((entry) => join(entry.parentPath, entry.name))
    return files.filter((file) => !relative(path, file).split(sep).includes('dist')).sort()
  })
}

/** Takes the lock, a link: making one is atomic, with its content. One that a killed process left behind is removed. */
async function takeLock() {
  for (;;) {
    try {
      return symlinkSync(String(process.pid), lock)
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      if (isOwnerRunning(lock)) await sleep(100)
      else rmSync(lock, { force: true })
    }
  }
}

function isOwnerRunning(link) {
  try {
    process.kill(Number(readlinkSync(link)), 0)
    return true
  } catch (error) {
    // EPERM: it runs, and belongs to another user.
    return error.code === 'EPERM'
  }
}

/** Runs the program of an installed package quietly and returns its output. */
async function runTool(program, args) {
  const path = join(root, 'node_modules', program)
  if (!existsSync(path)) throw new Error(`cannot build, ${path} is missing: run "npm ci" in ${root}`)
  const child = spawn(process.execPath, [path, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise((resolveCode, reject) => child.once('close', resolveCode).once('error', reject))
  const [code, ...outputs] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  if (code !== 0) throw new Error(`cannot build:\n${outputs.join('').replace(/^TSFILE: .*\n/gm, '')}`)
  return outputs[0]
}
