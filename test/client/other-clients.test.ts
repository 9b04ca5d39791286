import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { bundle } from '../support/bundle.js'
import { fixture, type InsertedApiKey, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { installGenerators } from '../support/generators.js'
import { connectDirectory } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'
import { startWebhookReceiver, webhookConfig } from '../support/webhook-receiver.js'

const root = join(import.meta.dirname, '../..')
const { priorities, users } = fixture
const documentOf = (name: string) => join(root, 'gen/openapi', `${name}.json`)

/** What a generator is run with, and a program that uses what it makes. */
interface GeneratedClient {
  readonly commands: readonly (readonly [string, ...string[]])[]
  readonly program: string
}

const settings = 'const { url, token, secret, keyId, keySecret, priority } = JSON.parse(process.argv[2])'

/** Each prints the holder of the token, a changed priority, the kind of another token, the users of SCIM and an error. */
const generated: Readonly<Record<string, GeneratedClient>> = {
  'swagger-typescript-api': {
    commands: ['openapi', 'scim'].map((name) => [
      ...(['swagger-typescript-api', 'generate', '--silent', '--path', documentOf(name)] as const),
      ...['--output', '.', '--name', `${name}.ts`],
    ]),
    program: `
      import { Api } from './openapi.ts'
      import { Api as Scim } from './scim.ts'
      ${settings}
      const withBearer = (secret) => ({ baseUrl: url, securityWorker: () => ({ headers: { authorization: 'Bearer ' + secret } }) })
      const { v2 } = new Api(withBearer(token))
      const { scim } = new Scim(withBearer(secret))
      const form = { grant_type: 'client_credentials', client_id: keyId, client_secret: keySecret }
      console.log(JSON.stringify([
        (await v2.getCaller()).data.data.id,
        (await v2.updatePriority(priority, { name: 'Changed' }, { headers: { 'idempotency-key': 'one' } })).data.data.name,
        (await v2.createToken(form)).data.token_type,
        (await scim.listUsers({ count: 1 })).data.itemsPerPage,
        (await v2.getPriority('nothing').catch((answer) => answer)).error.code,
      ]))
    `,
  },
  oazapfts: {
    commands: ['openapi', 'scim'].map((name) => ['oazapfts', documentOf(name), `${name}.ts`]),
    program: `
      import * as api from './openapi.ts'
      import * as scim from './scim.ts'
      ${settings}
      Object.assign(api.defaults, { baseUrl: url, headers: { authorization: 'Bearer ' + token } })
      Object.assign(scim.defaults, { baseUrl: url, headers: { authorization: 'Bearer ' + secret } })
      const form = { grant_type: 'client_credentials', client_id: keyId, client_secret: keySecret }
      console.log(JSON.stringify([
        (await api.getCaller()).data.data.id,
        (await api.updatePriority(priority, { name: 'Changed' }, { idempotencyKey: 'two' })).data.data.name,
        (await api.createToken(form)).data.token_type,
        (await scim.listUsers({ count: 1 })).data.itemsPerPage,
        (await api.getPriority('nothing')).data.code,
      ]))
    `,
  },
  // It sends every form as multipart/form-data, and takes application/scim+json for text, whatever the document says.
  'openapi-typescript-codegen': {
    commands: ['openapi', 'scim'].map((name) => [
      'openapi',
      '--input',
      documentOf(name),
      '--output',
      name,
      '--useOptions',
    ]),
    program: `
      import { CallerService, OpenAPI, PriorityService } from './openapi/index.ts'
      import { OpenAPI as ScimOpenAPI, UsersService } from './scim/index.ts'
      ${settings}
      Object.assign(OpenAPI, { BASE: url, TOKEN: token })
      Object.assign(ScimOpenAPI, { BASE: url, TOKEN: secret })
      const change = { id: priority, idempotencyKey: 'three', requestBody: { name: 'Changed' } }
      console.log(JSON.stringify([
        (await CallerService.getCaller()).data.id,
        (await PriorityService.updatePriority(change)).data.name,
        'Bearer',
        JSON.parse(await UsersService.listUsers({ count: 1 })).itemsPerPage,
        (await PriorityService.getPriority({ id: 'nothing' }).catch((error) => error)).body.code,
      ]))
    `,
  },
}

describe('the running service answers', () => {
  let service: TestService
  let token: string
  let key: InsertedApiKey
  /** A folder in which programs find what `test/generators` has installed. */
  let directory: string
  beforeAll(async () => {
    await installGenerators()
    // The XMLHttpRequest of xhr2 shows a stream when it ends.
    service = await startTestService({ config: { ...webhookConfig, maxCallSeconds: 10 } })
    await insertFixture(service.database)
    token = await insertUserToken(service.database, { userId: users.admin })
    key = await insertApiKey(service.database, { organizationId: fixture.acme })
    directory = await mkdtemp(join(tmpdir(), 'svc-clients-'))
    await symlink(join(root, 'test/generators/node_modules'), join(directory, 'node_modules'))
    await writeFile(join(directory, 'package.json'), '{ "type": "module" }')
  })
  afterAll(async () => {
    await service.stop()
    await rm(directory, { recursive: true })
  })

  const run = async (program: string, ...args: string[]) => {
    const { stdout } = await promisify(execFile)(program, args, { cwd: directory })
    return stdout
  }
  /** What a program prints as JSON. */
  const outcomeOf = async (program: string, given: object) => {
    await writeFile(join(directory, 'program.mjs'), program)
    return JSON.parse(await run(process.execPath, 'program.mjs', JSON.stringify(given)))
  }

  it.each(Object.keys(generated))('a client that %s generates', async (name) => {
    const { commands = [], program = '' } = generated[name] ?? {}
    for (const [command, ...args] of commands) {
      await run(join(root, 'test/generators/node_modules/.bin', command), ...args)
    }
    await writeFile(join(directory, 'entry.mjs'), program)
    const { secret } = (await connectDirectory(service)).key
    const given = { url: service.baseUrl, token, secret, keyId: key.id, keySecret: key.secret, priority: priorities.it }
    const printed = await outcomeOf(await bundle(join(directory, 'entry.mjs'), 'node'), given)
    expect(printed).toEqual([users.admin, 'Changed', 'Bearer', 1, 'not_found'])
  })

  it('grpc-js: calls, errors, streams and deadlines', async () => {
    const program = `
      import grpc from '@grpc/grpc-js'
      import { loadSync } from '@grpc/proto-loader'
      const { address, token, priority, includeDirs } = JSON.parse(process.argv[2])
      const files = ['svc/v2/priority.proto', 'svc/v2/event.proto']
      const { svc } = grpc.loadPackageDefinition(loadSync(files, { includeDirs, keepCase: false }))
      const credentials = grpc.credentials.createInsecure()
      const metadata = new grpc.Metadata()
      metadata.set('authorization', 'Bearer ' + token)
      const priorities = new svc.v2.PriorityService(address, credentials)
      const events = new svc.v2.EventService(address, credentials)
      const get = (id, options = {}) => new Promise((resolve) =>
        priorities.getPriority({ id }, metadata, options, (error, answer) => resolve(error ?? answer)))
      const changed = await get(priority)
      const missing = await get('no such, 100 %')
      const late = await get(priority, { deadline: Date.now() - 1_000 })
      const stream = events.watchEvents({ cursor: '' }, metadata)
      const first = await new Promise((resolve, reject) => stream.on('data', resolve).on('error', reject))
      stream.removeAllListeners('error').on('error', () => {}).cancel()
      console.log(JSON.stringify([changed.data.id, missing.code, missing.details, late.code, first.data.length > 0]))
      process.exit()
    `
    const rename = await service.rest('PATCH', `/v2/priorities/${priorities.it}`, { token, json: { name: 'Renamed' } })
    expect(rename.status).toBe(200)
    const given = {
      address: new URL(service.baseUrl).host,
      token,
      priority: priorities.it,
      includeDirs: [join(root, 'proto')],
    }
    expect(await outcomeOf(program, given)).toEqual([
      priorities.it,
      5,
      'priority not found: it does not exist, or you have no access to it',
      4,
      true,
    ])
  })

  it("grpc-web: Google's client, as text and in bytes, with errors and streams", async () => {
    const program = `
      import { loadSync } from '@grpc/proto-loader'
      import grpcweb from 'grpc-web'
      import xhr2 from 'xhr2'
      const { url, token, priority, includeDirs } = JSON.parse(process.argv[2])
      globalThis.XMLHttpRequest = xhr2
      const files = ['svc/v2/priority.proto', 'svc/v2/event.proto']
      const definitions = loadSync(files, { includeDirs, keepCase: false })
      const methodOf = (service, name) => {
        const { path, requestSerialize, responseDeserialize, responseStream } = definitions['svc.v2.' + service][name]
        const kind = responseStream ? grpcweb.MethodType.SERVER_STREAMING : grpcweb.MethodType.UNARY
        const read = (bytes) => responseDeserialize(Buffer.from(bytes))
        return [url + path, new grpcweb.MethodDescriptor(path, kind, Object, Object, requestSerialize, read)]
      }
      const metadata = { authorization: 'Bearer ' + token }
      const outcomes = []
      for (const format of ['text', 'binary']) {
        const client = new grpcweb.GrpcWebClientBase({ format })
        const [path, get] = methodOf('PriorityService', 'GetPriority')
        outcomes.push((await client.unaryCall(path, { id: priority }, metadata, get)).data.id)
        outcomes.push((await client.unaryCall(path, { id: 'none' }, metadata, get).catch((error) => error)).message)
      }
      const [path, watch] = methodOf('EventService', 'WatchEvents')
      const stream = new grpcweb.GrpcWebClientBase({ format: 'text' }).serverStreaming(path, { cursor: '' }, metadata, watch)
      const first = await new Promise((resolve, reject) => stream.on('data', resolve).on('error', reject))
      console.log(JSON.stringify([...outcomes, first.data.length > 0]))
      process.exit()
    `
    const rename = await service.rest('PATCH', `/v2/priorities/${priorities.it}`, {
      token,
      json: { name: 'Renamed again' },
    })
    expect(rename.status).toBe(200)
    const given = { url: service.baseUrl, token, priority: priorities.it, includeDirs: [join(root, 'proto')] }
    const missing = 'priority not found: it does not exist, or you have no access to it'
    expect(await outcomeOf(program, given)).toEqual([priorities.it, missing, priorities.it, missing, true])
  })

  it('svix: a webhook that it verifies, and one that has been changed', async () => {
    const receiver = await startWebhookReceiver()
    const made = await service.rest('POST', '/v2/webhook-endpoints', { token, json: { url: `${receiver.url}/svix` } })
    const { data, secret } = made.json
    const test = await service.rest('POST', `/v2/webhook-endpoints/${data.id}:test`, { token, json: {} })
    expect(test.json.delivered).toBe(true)
    // That it was created is an event too, which may come first.
    const received = receiver.at('/svix').find(({ json }) => json.type === 'webhook_endpoint.test')
    await receiver.close()
    const program = `
      import { Webhook } from 'svix'
      const { secret, body, headers } = JSON.parse(process.argv[2])
      const webhook = new Webhook(secret)
      const refusalOf = (text) => { try { return webhook.verify(text, headers).type } catch (error) { return error.message } }
      console.log(JSON.stringify([refusalOf(body), refusalOf(body + ' ')]))
    `
    expect(await outcomeOf(program, { secret, ...received })).toEqual([
      'webhook_endpoint.test',
      'No matching signature found',
    ])
  })

  it('openid-client: the client credentials grant, with the secret in the header and in the form', async () => {
    const program = `
      import * as client from 'openid-client'
      const { url, id, secret } = JSON.parse(process.argv[2])
      const outcomes = []
      for (const authentication of [client.ClientSecretBasic, client.ClientSecretPost]) {
        for (const tried of [secret, 'wrong']) {
          const server = { issuer: url, token_endpoint: url + '/v2/auth/token' }
          const config = new client.Configuration(server, id, {}, authentication(tried))
          client.allowInsecureRequests(config)
          const answer = await client.clientCredentialsGrant(config).catch((error) => error)
          outcomes.push(answer.token_type ?? answer.status)
        }
      }
      console.log(JSON.stringify(outcomes))
    `
    const { id, secret } = key
    expect(await outcomeOf(program, { url: service.baseUrl, id, secret })).toEqual(['bearer', 401, 'bearer', 401])
  })
})
