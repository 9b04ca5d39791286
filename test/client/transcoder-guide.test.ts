import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { freePort } from '../../harness/free-port.js'
import { eventually } from '../support/eventually.js'
import { installGenerators } from '../support/generators.js'
import { createPackedProject, type PackedProject } from '../support/packed-project.js'

const root = join(import.meta.dirname, '../..')
const generators = join(root, 'test/generators/node_modules')

const contract = `
  syntax = "proto3";
  package library.v1;
  import "google/api/annotations.proto";
  service LibraryService {
    rpc GetBook(GetBookRequest) returns (Book) { option (google.api.http) = {get: "/v1/{name=shelves/*/books/*}"}; }
    rpc AddBook(Book) returns (Book) { option (google.api.http) = {post: "/v1/books", body: "*"}; }
    rpc AddBooks(stream Book) returns (AddBooksResponse);
  }
  message Book { string name = 1; string title = 2; int64 copies = 3; }
  message GetBookRequest { string name = 1; }
  message AddBooksResponse { int32 count = 1; }
`
const streamingClient = `
  import { createClient } from '@connectrpc/connect'
  import { createConnectTransport } from '@connectrpc/connect-node'
  import { LibraryService } from './gen/library_pb.js'
  const client = createClient(LibraryService, createConnectTransport({ baseUrl: process.argv[2], httpVersion: '1.1' }))
  const { count } = await client.addBooks((async function* () { yield { title: 'A' }; yield {}; yield { title: 'B' } })())
  console.log(count)
  process.exit()
`

/** The oldest and the newest version that the transcoder declares. */
describe.each([
  ['the version of the checkout', 'node_modules/@connectrpc/connect', 'node_modules/@connectrpc/connect-node'],
  ["today's", 'test/generators/node_modules/connect-next', 'test/generators/node_modules/connect-node-next'],
])('the guide of the transcoder, with Connect of %s', (_, connect, connectNode) => {
  let project: PackedProject
  beforeAll(async () => {
    await installGenerators()
    project = await createPackedProject(['src/rest', 'node_modules/@bufbuild/protobuf', connect, connectNode])
    await mkdir(join(project.directory, 'node_modules/@types'))
    for (const name of ['express', 'fastify', '@types/express'])
      await symlink(join(generators, name), join(project.directory, 'node_modules', name))
    await symlink(join(root, 'node_modules/@types/node'), join(project.directory, 'node_modules/@types/node'))
    const guide = await readFile(join(root, 'src/rest/README.md'), 'utf8')
    const examples = [...guide.matchAll(/```ts\n\/\/ (\S+)\n(.*?)```/gs)]
    await project.write({
      'library.proto': contract,
      'client.js': streamingClient,
      ...Object.fromEntries(
        examples.map(([, name = '', text = '']) => [
          name,
          // AddBook is there to send a body.
          text
            .replace('8080 }', 'Number(process.argv[2]) }')
            .replace('(8080)', '(Number(process.argv[2]))')
            .replace('    getBook:', '    addBook: (book) => book,\n    getBook:'),
        ]),
      ),
    })
    await mkdir(join(project.directory, 'google/api'), { recursive: true })
    for (const name of ['annotations.proto', 'http.proto']) {
      await cp(join(root, 'proto/google/api', name), join(project.directory, 'google/api', name))
    }
    const plugin = { local: 'protoc-gen-es', out: 'gen', opt: ['target=js+dts', 'import_extension=js'] }
    const template = JSON.stringify({ version: 'v2', plugins: [plugin] })
    await project.run('buf', 'generate', '--include-imports', '--template', template, '--path', 'library.proto')
    const emit = ['--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext', '--types', 'node']
    expect(await project.run('tsc', ...emit, 'server.ts', 'express.ts', 'fastify.ts')).toBe('')
  })
  afterAll(() => project.remove())

  /** Runs an example for as long as it is asked something. */
  async function running(name: string, ask: (url: string) => Promise<void>): Promise<void> {
    const port = await freePort()
    const child = spawn(process.execPath, [name, String(port)], {
      cwd: project.directory,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    try {
      const url = `http://127.0.0.1:${port}`
      await eventually(async () => void (await fetch(url)))
      await ask(url)
    } finally {
      child.kill()
      await once(child, 'exit')
    }
  }

  async function askForBooks(url: string): Promise<void> {
    const got = await fetch(`${url}/v1/shelves/1/books/2`)
    expect([got.status, await got.json()]).toEqual([200, { name: 'shelves/1/books/2', title: 'A title' }])
    const body = '{"title":"New","copies":"9007199254740993"}'
    const added = await fetch(`${url}/v1/books`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect([added.status, await added.json()]).toEqual([200, JSON.parse(body)])
  }

  it('serves a service over REST, and its stream of requests over Connect', () =>
    running('server.js', async (url) => {
      await askForBooks(url)
      expect(await project.run(process.execPath, 'client.js', url)).toBe('2\n')
    }))

  it.each(['express.js', 'fastify.js'])('mounts it: %s', (name) =>
    running(name, async (url) => {
      await askForBooks(url)
      expect(await (await fetch(`${url}/hello`)).text()).toBe('hello')
    }),
  )
})
