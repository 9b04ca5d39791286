// Copies the built service with everything that it needs to run, and nothing else, into a folder: node scripts/pack.mjs
// FOLDER. COMMIT names the commit where Git does not know it. Needs no network: the packages are those of the lockfile,
// without those for development and for the embedded database.
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const [target] = process.argv.slice(2)
if (target === undefined) throw new Error('usage: node scripts/pack.mjs FOLDER')

/** What the program reads at run time, besides its packages. */
const own = ['bin', 'dist/svc', 'dist/console', 'demo', 'docs', 'gen/openapi', 'prisma/migrations', 'web', 'LICENSE']
/**
 * Files that are left out because the program does not read them: pictures, declarations, maps, sources and tests of
 * packages, modules of OpenTelemetry for bundlers, and all query compilers but the smaller one for PostgreSQL.
 */
const unread = [
  /^docs\/console\//,
  /\.(?:map|[cm]?ts)$/,
  /query_compiler_(?:fast|\w+_bg\.(?!postgresql))/,
  /^node_modules\/(?:@types|undici-types)(?:\/|$)/,
  /^node_modules\/(?:@[^/]+\/)?[^/]+\/(?:tests?|benchmarks?|examples?|docs|coverage)$/,
  /^node_modules\/@opentelemetry\/[^/]+\/build\/(?:esm|esnext)$/,
]

const isRead = (source) => !unread.some((pattern) => pattern.test(relative(root, source).replaceAll(sep, '/')))

await mkdir(target, { recursive: true })
for (const path of own) await cp(join(root, path), join(target, path), { recursive: true, filter: isRead })

const lockfile = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
for (const [path, { dev, optional, devOptional, link }] of Object.entries(lockfile.packages)) {
  if (!path.startsWith('node_modules/') || dev || optional || devOptional || link) continue
  // Packages within packages are listed on their own.
  const filter = (source) => isRead(source) && (basename(source) !== 'node_modules' || source === join(root, path))
  await cp(join(root, path), join(target, path), { recursive: true, filter })
}

const ofGit = () => promisify(execFile)('git', ['rev-parse', 'HEAD'], { cwd: root }).then(({ stdout }) => stdout.trim())
const gitHead = process.env.COMMIT || (await ofGit().catch(() => 'unknown'))

// Without scripts and packages for development.
const { name, version, description, license, type, engines, bin, exports } = JSON.parse(
  await readFile(join(root, 'package.json'), 'utf8'),
)
await writeFile(
  join(target, 'package.json'),
  `${JSON.stringify({ name, version, gitHead, description, license, private: true, type, engines, bin, exports }, null, 2)}\n`,
)
