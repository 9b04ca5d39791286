import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import type { Database } from '../support/sql.js'
import { exportedRecord, importLines, line } from './transfer-text.js'

const root = join(import.meta.dirname, '../..')
const page = await readFile(join(root, 'docs/importing.md'), 'utf8')

function commandsOf(title: string): string[] {
  const [, section = ''] = new RegExp(`^## ${title}$([\\s\\S]*?)^## `, 'm').exec(page) ?? []
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, command = '']) => command)
}

const commands = commandsOf('People from other systems')

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const systems = [
  {
    file: 'auth0-users.ndjson',
    text: [
      {
        user_id: 'auth0|65f0c0ffee',
        email: 'ines@acme.example',
        email_verified: true,
        given_name: 'Inès',
        family_name: "O'Hara",
        picture: 'https://cdn.example/ines.png',
        app_metadata: { plan: 'x' },
        identities: [{ provider: 'auth0', isSocial: false }],
      },
      {
        user_id: 'google-oauth2|1034',
        email: 'gone@acme.example',
        name: 'Gone Person',
        picture: 'http://cdn.example/gone.png',
        blocked: true,
        updated_at: '2026-05-06T07:08:09.123Z',
      },
    ]
      .map((user) => `${JSON.stringify(user)}\n`)
      .join(''),
    people: {
      'auth0:65f0c0ffee': { firstName: 'Inès', lastName: "O'Hara", avatarUrl: 'https://cdn.example/ines.png' },
      'google-oauth2:1034': { avatarUrl: '', deactivatedAt: '2026-05-06T07:08:09.123Z' },
    },
  },
  {
    file: 'keycloak-realm.json',
    text: JSON.stringify({
      realm: 'acme',
      users: [
        {
          id: '5d1e6f5a-0000-4000-8000-000000000001',
          username: 'ken',
          email: 'ken@acme.example',
          firstName: 'Ken',
          lastName: '小林',
          enabled: true,
          attributes: { department: ['R&D'] },
        },
        { id: '5d1e6f5a-0000-4000-8000-000000000002', username: 'service-account-ci', enabled: true },
        { id: '5d1e6f5a-0000-4000-8000-000000000003', username: 'lea', email: 'lea@acme.example', enabled: false },
      ],
    }),
    people: {
      '5d1e6f5a-0000-4000-8000-000000000001': { firstName: 'Ken', lastName: '小林', department: 'R&D' },
      '5d1e6f5a-0000-4000-8000-000000000003': { deactivatedAt: expect.any(String), department: '' },
    },
  },
  {
    file: 'people.csv',
    text: '\ufeffEmployee ID,Email,First Name,Last Name,Department\r\n0042,jo@acme.example,Jörg,"von ""der"" Au","Sales, EMEA"\r\n7e3,mo@acme.example,Mo,,\r\n',
    people: {
      'hr-0042': { firstName: 'Jörg', lastName: 'von "der" Au', department: 'Sales, EMEA' },
      'hr-7e3': { firstName: 'Mo', lastName: '', department: '' },
    },
  },
  {
    file: 'scim-users.json',
    text: JSON.stringify({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 3,
      Resources: [
        {
          id: '00u1/a',
          userName: 'pat',
          name: { givenName: 'Pat', familyName: 'Lee' },
          emails: [{ value: 'home@pat.example' }, { value: 'pat@acme.example', primary: true }],
          active: true,
          title: 'Buyer',
          [enterprise]: { department: 'Procurement' },
        },
        { id: '00u2', userName: 'quin@acme.example', active: false },
        { id: '00u3', userName: 'ray', emails: [{ value: 'ray@acme.example', type: 'work' }] },
      ],
    }),
    people: {
      '00u1:a': { email: 'pat@acme.example', jobTitle: 'Buyer', department: 'Procurement', lastName: 'Lee' },
      '00u2': { email: 'quin@acme.example', deactivatedAt: expect.any(String) },
      '00u3': { email: 'ray@acme.example' },
    },
  },
] as const

const skill = { id: 'forecast', name: 'Forecast', description: 'Says how the weather will be.', tags: ['weather'] }
const scopes = { 'weather:read': 'reads', 'weather:history': 'reads what was' }
const described = { description: 'Knows the weather.', version: '2.1.0' }
const capabilities = { streaming: true, pushNotifications: false }
const flows = {
  authorizationCode: { authorizationUrl: 'https://a.example/auth', tokenUrl: 'https://a.example/t', scopes },
}
const openIdConnectUrl = 'https://a.example/.well-known/openid-configuration'
const cards = [
  {
    version: '0.2',
    card: {
      name: 'Weather 0.2',
      ...described,
      url: 'https://a.example/a2a',
      capabilities,
      defaultInputModes: ['text/plain'],
      skills: [{ ...skill, examples: ['And tomorrow?'], inputModes: ['text/plain'], outputModes: ['text/html'] }],
    },
    id: 'a.example-a2a',
    expected: { url: 'https://a.example/a2a', skills: [{ examples: ['And tomorrow?'], outputModes: ['text/html'] }] },
  },
  {
    version: '0.3',
    card: {
      protocolVersion: '0.3.0',
      name: 'Weather 0.3',
      ...described,
      url: 'https://a.example/a2a',
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [{ url: 'https://a.example/grpc', transport: 'GRPC' }],
      capabilities,
      skills: [skill],
      security: [{ oauth: ['weather:read'] }],
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        basic: { type: 'http', scheme: 'basic' },
        oauth: { type: 'oauth2', flows, oauth2MetadataUrl: 'https://a.example/metadata' },
        oidc: { type: 'openIdConnect', openIdConnectUrl },
        tls: { type: 'mutualTLS' },
      },
      signatures: [{ protected: 'e30', signature: 'AA' }],
    },
    id: 'a.example-a2a',
    expected: {
      securitySchemes: [
        { name: 'key', kind: 'A2A_AGENT_SECURITY_SCHEME_KIND_API_KEY' },
        { name: 'basic', kind: 'A2A_AGENT_SECURITY_SCHEME_KIND_HTTP_AUTH' },
        {
          name: 'oauth',
          kind: 'A2A_AGENT_SECURITY_SCHEME_KIND_OAUTH2',
          flow: 'authorizationCode',
          scopes: Object.keys(scopes).sort(),
          oauth2MetadataUrl: 'https://a.example/metadata',
        },
        { name: 'oidc', kind: 'A2A_AGENT_SECURITY_SCHEME_KIND_OPEN_ID_CONNECT', openIdConnectUrl },
        { name: 'tls', kind: 'A2A_AGENT_SECURITY_SCHEME_KIND_MUTUAL_TLS' },
      ],
    },
  },
  {
    version: '1.0',
    card: {
      name: 'Weather 1.0',
      ...described,
      supportedInterfaces: [
        { url: 'https://a.example/v1', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        { url: 'https://a.example/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
      provider: { organization: 'Weather', url: 'https://a.example' },
      capabilities,
      defaultInputModes: ['text/plain'],
      skills: [skill],
      securitySchemes: {
        oauth: { oauth2SecurityScheme: { flows } },
        bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
        tls: { mtlsSecurityScheme: {} },
      },
      securityRequirements: [{ schemes: { oauth: { list: ['weather:read'] } } }],
    },
    id: 'a.example-v1',
    expected: {
      url: 'https://a.example/v1',
      skills: [{ inputModes: ['text/plain'], outputModes: [] }],
      securitySchemes: [
        { name: 'oauth', kind: 'A2A_AGENT_SECURITY_SCHEME_KIND_OAUTH2', flow: 'authorizationCode' },
        { name: 'bearer', kind: 'A2A_AGENT_SECURITY_SCHEME_KIND_HTTP_AUTH' },
        { name: 'tls', kind: 'A2A_AGENT_SECURITY_SCHEME_KIND_MUTUAL_TLS' },
      ],
    },
  },
  {
    version: '0.3 with null for all that is unset',
    card: {
      name: '天气',
      ...described,
      url: 'https://weather.example/',
      documentationUrl: null,
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/html'],
      skills: [{ ...skill, examples: null, inputModes: null, outputModes: null }],
      securitySchemes: {
        oauth: { type: 'oauth2', flows: { authorizationCode: null, implicit: { scopes }, password: null } },
        later: { type: 'invented', description: null },
      },
    },
    id: 'weather.example-',
    expected: {
      skills: [{ examples: [], inputModes: ['text/plain'], outputModes: ['text/html'] }],
      securitySchemes: [
        { name: 'oauth', flow: 'implicit', scopes: Object.keys(scopes).sort() },
        { name: 'later', kind: 'A2A_AGENT_SECURITY_SCHEME_KIND_UNSPECIFIED' },
      ],
    },
  },
  {
    version: '1.0 that clients of 0.3 read as well',
    card: {
      name: 'Weather of both',
      ...described,
      url: 'https://both.example/rpc',
      preferredTransport: 'JSONRPC',
      supportedInterfaces: [{ url: 'https://both.example/v1', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      skills: [skill],
      securitySchemes: {
        oauth: { oauth2SecurityScheme: { flows }, type: 'oauth2', flows },
        oidc: { apiKeySecurityScheme: null, openIdConnectSecurityScheme: { openIdConnectUrl } },
      },
    },
    id: 'both.example-rpc',
    expected: {
      url: 'https://both.example/rpc',
      securitySchemes: [
        { name: 'oauth', kind: 'A2A_AGENT_SECURITY_SCHEME_KIND_OAUTH2', flow: 'authorizationCode' },
        { name: 'oidc', kind: 'A2A_AGENT_SECURITY_SCHEME_KIND_OPEN_ID_CONNECT', openIdConnectUrl },
      ],
    },
  },
  {
    version: '1.0 with neither skills nor an address',
    card: { name: 'Redacted', ...described, supportedInterfaces: [], securitySchemes: null },
    id: 'Redacted',
    expected: { url: '', skills: [], securitySchemes: [] },
  },
] as const

describe('the commands of the guide make records', () => {
  let testDatabase: TestDatabase
  let database: Database
  let folder: string
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
    folder = await mkdtemp(join(root, 'dist', 'other-systems-'))
    await importLines(database, [
      line('organization', { id: 'org_acme', name: 'Acme' }),
      line('team', { id: 'team_it', organizationId: 'org_acme', name: 'IT' }),
    ])
  })
  afterAll(async () => {
    await rm(folder, { recursive: true })
    await testDatabase.drop()
  })

  it('of people, for as many systems as are tried here', () => {
    expect(commands.map((command) => systems.find(({ file }) => command.includes(file))?.file)).toEqual(
      systems.map(({ file }) => file),
    )
  })

  it.each(systems.map((system, index) => ({ ...system, command: commands[index] ?? '' })))(
    'of people from $file, which import, and change nothing a second time',
    async ({ file, text, people, command }) => {
      await writeFile(join(folder, file), text)
      await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', command], { cwd: folder })
      const lines = (await readFile(join(folder, 'people.ndjson'), 'utf8')).trim().split('\n')
      const isMerge = true
      const { kinds } = await importLines(database, lines, { isMerge })
      const total = Object.keys(people).length
      expect(kinds.find(({ kind }) => kind === 'user')).toMatchObject({ created: total })
      for (const [id, fields] of Object.entries(people)) {
        expect(await exportedRecord(database, 'user', id)).toMatchObject(fields)
      }
      const again = lines.map((each) => each.replace(/"deactivatedAt":"[^"]+"/, '"deactivatedAt":null'))
      const repeated = await importLines(database, again, { isMerge })
      expect(repeated.kinds.find(({ kind }) => kind === 'user')).toMatchObject({ created: 0, updated: 0 })
    },
  )

  it.each(cards)('of an agent by its card of A2A $version', async ({ card, id, expected }) => {
    const [command = '', ...others] = commandsOf('Agents by their cards')
    expect(others).toEqual([])
    await writeFile(join(folder, 'agent-card.json'), JSON.stringify(card))
    await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', command], { cwd: folder })
    const lines = (await readFile(join(folder, 'agents.ndjson'), 'utf8')).trim().split('\n')
    await importLines(database, lines)
    const record = await exportedRecord(database, 'appInstance', id)
    const skills = 'skills' in card ? [{ id: 'forecast', tags: ['weather'] }] : []
    expect(record['a2aAgentCard']).toMatchObject({ name: card.name, ...described, skills })
    expect(record['a2aAgentCard']).toMatchObject(expected)
  })
})
