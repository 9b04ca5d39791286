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
const section = /^## People from other systems$([\s\S]*?)^## /m.exec(page)?.[1] ?? ''
const commands = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, command = '']) => command)

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

describe('the commands of the guide make records of people', () => {
  let testDatabase: TestDatabase
  let database: Database
  let folder: string
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
    folder = await mkdtemp(join(root, 'dist', 'other-systems-'))
    await importLines(database, [line('organization', { id: 'org_acme', name: 'Acme' })])
  })
  afterAll(async () => {
    await rm(folder, { recursive: true })
    await testDatabase.drop()
  })

  it('for as many systems as are tried here', () => {
    expect(commands.map((command) => systems.find(({ file }) => command.includes(file))?.file)).toEqual(
      systems.map(({ file }) => file),
    )
  })

  it.each(systems.map((system, index) => ({ ...system, command: commands[index] ?? '' })))(
    'from $file, which import, and change nothing a second time',
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
})
