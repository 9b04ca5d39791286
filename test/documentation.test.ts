import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const docs = (await readdir(join(root, 'docs'), { recursive: true })).filter((name) => name.endsWith('.md'))
const pages = [...docs.map((name) => `docs/${name}`), 'README.md', 'CONTRIBUTING.md'].filter((name) =>
  existsSync(join(root, name)),
)
const read = (name: string) => readFile(join(root, name), 'utf8')

describe('the documentation', () => {
  it.each(pages)('%s links to what is there', async (name) => {
    const targets = [...(await read(name)).matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)].map(([, to = '']) => to)
    expect(targets.filter((to) => !existsSync(join(root, dirname(name), to)))).toEqual([])
  })

  it('is reached from its first page', async () => {
    const index = await read('docs/README.md')
    const missing = docs.filter(
      (name) => !name.startsWith('adr/') && name !== 'README.md' && !index.includes(`(${name})`),
    )
    expect(missing).toEqual([])
  })

  it('tells operators every variable that the service reads, and no other', async () => {
    const inCode = [...(await read('src/config.ts')).matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name)
    const rows = (await read('docs/operating.md')).match(/^\| `[A-Z].*$/gm) ?? []
    const inDocs = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
    )
    expect(new Set(inDocs)).toEqual(new Set(inCode))
  })
})

/** A plugin that writes down which Go package each file has been given. */
const recorder = `#!/usr/bin/env node
import { create, fromBinary, toBinary } from '${pathToFileURL(join(root, 'node_modules/@bufbuild/protobuf/dist/esm/index.js')).href}'
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
} from '${pathToFileURL(join(root, 'node_modules/@bufbuild/protobuf/dist/esm/wkt/index.js')).href}'
import { buffer } from 'node:stream/consumers'
const request = fromBinary(CodeGeneratorRequestSchema, await buffer(process.stdin))
const content = JSON.stringify({
  made: request.fileToGenerate,
  packages: Object.fromEntries(request.protoFile.map((file) => [file.name, file.options?.goPackage])),
})
const name = process.argv[1].split('/').at(-1).replace('.mjs', '') + '.json'
process.stdout.write(
  toBinary(CodeGeneratorResponseSchema, create(CodeGeneratorResponseSchema, { file: [{ name, content }] })),
)
`

describe('buf.gen.go.yaml', () => {
  it('puts the API into the module of the caller, and takes what Google publishes from there', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'svc-go-'))
    try {
      await writeFile(join(directory, 'recorder.mjs'), recorder, { mode: 0o755 })
      const plugins = ['protoc-gen-go', 'protoc-gen-go-grpc', 'protoc-gen-connect-go']
      for (const name of plugins) await symlink('recorder.mjs', join(directory, name))
      await promisify(execFile)(
        join(root, 'node_modules/.bin/buf'),
        ['generate', '--template', 'buf.gen.go.yaml', '-o', directory],
        { cwd: root, env: { ...process.env, PATH: `${directory}:${process.env['PATH']}` } },
      )
      for (const name of plugins) {
        const { made, packages } = JSON.parse(await readFile(join(directory, 'gen-go', `${name}.json`), 'utf8'))
        expect(made).toContain('svc/v2/journey.proto')
        expect(made.filter((file: string) => !file.startsWith('svc/v2/'))).toEqual([])
        expect(packages['svc/v2/journey.proto']).toBe('example.com/svc-client/gen/svc/v2;svcv2')
        expect(packages['google/api/annotations.proto']).toBe(
          'google.golang.org/genproto/googleapis/api/annotations;annotations',
        )
      }
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})
