import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import { blocksOf, root } from './support/documents.js'
import { shells } from './support/shells.js'

describe('the commands in the documentation', () => {
  it.each(shells)('quote what %s would expand, and are complete', async (shell) => {
    for (const { page, text } of await blocksOf('sh', 'bash')) {
      // Quoted and escaped text, variables and substitutions aside, nothing may be a pattern; a modifier follows a colon.
      const bare = text.replaceAll(/'[^']*'|"(?:\\.|\$\([^)]*\)|[^"\\])*"|\\./g, '')
      expect([page, bare.match(/\S*[?*[]\S*/g)]).toEqual([page, null])
      expect([page, text.match(/\$\w+:[a-z&]/g)]).toEqual([page, null])
      await promisify(execFile)(shell, ['-nc', text])
    }
  })
})

describe('the samples in TypeScript', () => {
  it('compile under --strict without changes', async () => {
    const directory = await mkdtemp(join(root, 'dist', 'samples-'))
    try {
      // Those of the transcoder run in test/client/transcoder-guide.test.ts.
      const samples = (await blocksOf('ts')).filter(({ page }) => page !== 'src/rest/README.md')
      expect(samples.map(({ page }) => page).sort()).toEqual(
        [
          'client/README.md',
          'docs/clients.md',
          'docs/clients.md',
          'docs/events.md',
          'docs/events.md',
          'docs/webhooks.md',
        ].sort(),
      )
      await Promise.all(samples.map(({ text }, index) => writeFile(join(directory, `sample-${index}.ts`), text)))
      const paths = {
        '@svc-admin/client': [join(root, 'client/src/index.ts')],
      }
      const compilerOptions = {
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        target: 'es2023',
        lib: ['es2023', 'es2024.string', 'dom'],
        module: 'nodenext',
        moduleResolution: 'nodenext',
        types: ['node'],
        paths,
      }
      const config = { compilerOptions, include: ['*.ts'] }
      await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config))
      const { stdout } = await promisify(execFile)(process.execPath, [
        join(root, 'node_modules/typescript/bin/tsc'),
        '-p',
        directory,
      ]).catch((error: unknown) => Object(error))
      expect(stdout).toBe('')
    } finally {
      await rm(directory, { recursive: true })
    }
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

describe('the page about Go', () => {
  it.each(shells)(
    'creates, in %s and any folder, a package of the API that imports shared types from their own modules',
    async (shell) => {
      const [generate] = await blocksOf('sh').then((blocks) =>
        blocks.filter(({ page }) => page === 'docs/clients-go.md'),
      )
      const directory = await mkdtemp(join(tmpdir(), 'svc-go-'))
      try {
        await writeFile(join(directory, 'recorder.mjs'), recorder, { mode: 0o755 })
        const plugins = ['protoc-gen-go', 'protoc-gen-go-grpc', 'protoc-gen-connect-go']
        for (const name of plugins) await symlink('recorder.mjs', join(directory, name))
        const env = { ...process.env, PATH: `${directory}:${process.env['PATH']}`, SVC: root }
        await promisify(execFile)(shell, ['-euc', generate?.text ?? ''], { cwd: directory, env })
        for (const name of plugins) {
          const { made, packages } = JSON.parse(await readFile(join(directory, 'gen', `${name}.json`), 'utf8'))
          expect(made).toContain('svc/v2/journey.proto')
          expect(made.filter((file: string) => !file.startsWith('svc/v2/'))).toEqual([])
          expect(packages['svc/v2/journey.proto']).toBe('example.com/svc-client/gen/svc/v2;svcv2')
          expect(packages['google/api/annotations.proto']).toBe(
            'google.golang.org/genproto/googleapis/api/annotations;annotations',
          )
          expect(packages['buf/validate/validate.proto']).toBe(
            'buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate',
          )
        }
      } finally {
        await rm(directory, { recursive: true })
      }
    },
  )
})
