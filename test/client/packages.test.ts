import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture } from '../support/fixture.js'
import { createPackedProject, type PackedProject } from '../support/packed-project.js'
import { startTestService, type TestService } from '../support/service.js'

const root = join(import.meta.dirname, '../..')
const strict = ['--strict', '--noEmit', '--target', 'es2022']
const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler']
const nodenext = ['--module', 'nodenext', '--moduleResolution', 'nodenext']

describe('the client, packed and installed into an empty project', () => {
  let service: TestService
  let project: PackedProject
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    project = await createPackedProject([
      'client',
      ...['@bufbuild/protobuf', '@connectrpc/connect', '@connectrpc/connect-web'].map((name) => `node_modules/${name}`),
    ])
  })
  afterAll(async () => {
    await project.remove()
    await service.stop()
  })

  it('is packed into a file that Git ignores', async () => {
    const { stdout } = await promisify(execFile)('git', ['check-ignore', 'svc-admin-client-0.1.0.tgz'], { cwd: root })
    expect(stdout).toBe('svc-admin-client-0.1.0.tgz\n')
  })

  it('is self-contained and small', async () => {
    const installed = await readdir(join(project.directory, 'node_modules'), { recursive: true })
    const packages = installed.filter((name) => /^(@[^/]+\/)?[^/@.]+$/.test(name) && !/^@[^/]+$/.test(name))
    expect(packages.sort()).toEqual([
      '@bufbuild/protobuf',
      '@connectrpc/connect',
      '@connectrpc/connect-web',
      '@svc-admin/client',
    ])
    expect(await bytesIn(join(project.directory, 'node_modules'))).toBeLessThan(4_000_000)
    expect(await bytesIn(join(project.directory, 'node_modules/@svc-admin/client'))).toBeLessThan(800_000)
  })

  it.each([
    ['a bundler', bundler],
    ['Node', nodenext],
  ])('has types for %s', async (_, resolution) => {
    await project.write({
      'typed.ts': `
        import { createClient, eachItem, type Journey, JourneyTaskStatus, reasonOf } from '@svc-admin/client'
        const svc = createClient({ baseUrl: 'https://api.example.com', credentials: { token: async () => 'token' } })
        const { data } = await svc.journeys.getJourney({ id: 'x' })
        export const journey: Journey | undefined = data
        export const done = data?.tasks.filter(({ status }) => status === JourneyTaskStatus.DONE)
        export const reason: string | undefined = reasonOf(new Error())
        for await (const user of eachItem((pageToken) => svc.users.listUsers({ pageToken }))) user.email.trim()
        // @ts-expect-error: an id is a text
        await svc.journeys.getJourney({ id: 1 })
        // @ts-expect-error: a key has a secret
        createClient({ baseUrl: 'https://api.example.com', credentials: { clientId: 'x' } })
      `,
    })
    expect(await project.run('tsc', ...strict, ...resolution, '--types', '', 'typed.ts')).toBe('')
  })

  it('calls the service from Node, and shares its error types with the program', async () => {
    const key = await insertApiKey(service.database, { organizationId: fixture.acme })
    const options = { baseUrl: service.baseUrl, credentials: { clientId: key.id, clientSecret: key.secret } }
    await project.write({
      'call.js': `
        import { ConnectError } from '@connectrpc/connect'
        import { createClient } from '@svc-admin/client'
        const svc = createClient(${JSON.stringify(options)})
        const { data } = await svc.journeys.getJourney({ id: ${JSON.stringify(fixture.journeys.it)} })
        const error = await svc.priorities.updatePriority({ id: 'x' }).catch((thrown) => thrown)
        console.log(JSON.stringify([data.name, error instanceof ConnectError, error.message]))
      `,
    })
    expect(JSON.parse(await project.run(process.execPath, 'call.js'))).toEqual([
      'Journey it',
      true,
      expect.stringContaining('[permission_denied]'),
    ])
  })
})

describe('the transcoder, packed and installed into an empty project', () => {
  let project: PackedProject
  beforeAll(async () => {
    project = await createPackedProject([
      'src/rest',
      'node_modules/@bufbuild/protobuf',
      'node_modules/@connectrpc/connect',
    ])
    await project.write({
      'library.proto': `
        syntax = "proto3";
        package library.v1;
        import "google/api/annotations.proto";
        service LibraryService {
          rpc GetBook(GetBookRequest) returns (Book) { option (google.api.http) = {get: "/v1/{name=shelves/*/books/*}"}; }
          rpc AddBook(AddBookRequest) returns (Book) {
            option (google.api.http) = {post: "/v1/{shelf=shelves/*}/books", body: "book"};
          }
          rpc ListBooks(ListBooksRequest) returns (stream Book) { option (google.api.http) = {get: "/v1/books"}; }
        }
        message Book { string name = 1; string title = 2; int64 copies = 3; }
        message GetBookRequest { string name = 1; }
        message AddBookRequest { string shelf = 1; Book book = 2; }
        message ListBooksRequest { int32 page_size = 1; }
      `,
      'server.ts': `
        import { createServer } from 'node:http'
        import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect'
        import { createRestTranscoder } from '@svc-admin/rest-transcoder'
        import { LibraryService } from './gen/library_pb.js'

        const routes = (router: ConnectRouter) =>
          router.service(LibraryService, {
            getBook: ({ name }) => {
              if (name.endsWith('/0')) throw new ConnectError('no such book', Code.NotFound)
              return { name, title: 'A title', copies: 2n }
            },
            addBook: ({ shelf, book }) => ({ title: book?.title, copies: book?.copies, name: shelf + '/books/9' }),
            listBooks: async function* ({ pageSize }) {
              for (let i = 1; i <= pageSize; i++) yield { name: 'shelves/1/books/' + i }
            },
          })
        const server = createServer(createRestTranscoder({ routes }))
        server.listen(0, '127.0.0.1', async () => {
          const address = server.address()
          const url = 'http://127.0.0.1:' + (typeof address === 'object' ? address?.port : address)
          const ask = async (path: string, init?: RequestInit) => {
            const answer = await fetch(url + path, init)
            return [answer.status, (await answer.text()).trimEnd()]
          }
          const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"title":"New","copies":"9007199254740993"}' }
          console.log(JSON.stringify([
            await ask('/v1/shelves/1/books/2'),
            await ask('/v1/shelves/1/books/0'),
            await ask('/v1/shelves/1/books', post),
            await ask('/v1/books?pageSize=2'),
            await ask('/v1/books', { method: 'DELETE' }),
          ]))
          server.close()
        })
      `,
    })
    await mkdir(join(project.directory, 'google/api'), { recursive: true })
    for (const name of ['annotations.proto', 'http.proto']) {
      await cp(join(root, 'proto/google/api', name), join(project.directory, 'google/api', name))
    }
    const plugin = { local: 'protoc-gen-es', out: 'gen', opt: ['target=js+dts', 'import_extension=js'] }
    const template = JSON.stringify({ version: 'v2', plugins: [plugin] })
    await project.run('buf', 'generate', '--include-imports', '--template', template, '--path', 'library.proto')
  })
  afterAll(() => project.remove())

  it('has types for Node, and serves a service over REST', async () => {
    const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node']
    const emit = ['--strict', '--skipLibCheck', '--target', 'es2022', ...nodenext, ...types]
    expect(await project.run('tsc', ...emit, 'server.ts')).toBe('')
    expect(JSON.parse(await project.run(process.execPath, 'server.js'))).toEqual([
      [200, '{"name":"shelves/1/books/2","title":"A title","copies":"2"}'],
      [404, '{"code":"not_found","message":"no such book"}'],
      [200, '{"name":"shelves/1/books/9","title":"New","copies":"9007199254740993"}'],
      [200, '{"name":"shelves/1/books/1"}\n{"name":"shelves/1/books/2"}'],
      [405, expect.stringContaining('"code":"unimplemented"')],
    ])
  })
})

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
