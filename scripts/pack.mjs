// Puts what runs the built service, and nothing else, into a folder: node scripts/pack.mjs FOLDER. COMMIT is the commit that
// it is made from, where Git does not know. Needs no network; the packages are those of the lockfile that neither development nor the embedded database is for.
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
 * Pictures, declarations, maps, sources and tests of packages are for people, and modules of OpenTelemetry for bundlers; the client is
 * made for PostgreSQL with the smaller of two compilers.
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

// Nothing there says how to develop it.
const { name, version, description, license, type, engines, bin, exports } = JSON.parse(
  await readFile(join(root, 'package.json'), 'utf8'),
)
await writeFile(
  join(target, 'package.json'),
  `${JSON.stringify({ name, version, gitHead, description, license, private: true, type, engines, bin, exports }, null, 2)}\n`,
)
