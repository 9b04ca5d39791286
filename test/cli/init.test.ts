import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { packageRoot } from '../../src/package.js'
import { runInProcess } from '../support/command-line.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { startServe } from '../support/program.js'

describe('svc init', () => {
  let testDatabase: TestDatabase
  const svc = (...args: string[]) => runInProcess(args, { env: testDatabase.environment })
  const init = (org: string, ...args: string[]) => svc('init', '--org', org, '--admin', 'ada@acme.example', ...args)
  const records = async () =>
    (await svc('export')).stdout
      .trim()
      .split('\n')
      .flatMap((text) => JSON.parse(text || '[]'))
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
  })
  afterAll(() => testDatabase.drop())

  it('is suggested by a start without any organization', async () => {
    const serve = await startServe(['--no-demo'], { ...testDatabase.environment, DRAIN_SECONDS: '0' })
    const leadsTo = async () => (await svc('status')).stdout.includes('npx svc init --org NAME --admin EMAIL')
    try {
      expect(await leadsTo()).toBe(true)
      expect((await init('First')).status).toBe(0)
      expect(await leadsTo()).toBe(false)
    } finally {
      await serve.stop()
    }
    const notes = await readFile(join(packageRoot(), 'deploy', 'helm', 'svc', 'templates', 'NOTES.txt'), 'utf8')
    expect(notes).toContain('init --org NAME --admin EMAIL')
  })

  it('creates an organization with an administrator, and prints a token', async () => {
    const { status, stdout, stderr } = await init('Acme')
    const made = await records()
    const { organization } = made.find((record) => record.organization?.name === 'Acme')
    const { user } = made.find((record) => record.user?.organizationId === organization.id)
    expect([status, organization, user]).toMatchObject([
      0,
      { name: 'Acme', region: 'us' },
      { email: 'ada@acme.example', role: 'USER_ROLE_ORG_ADMIN', organizationId: organization.id },
    ])
    expect(stdout).toMatch(/^svc_user_\S+\n$/)
    expect(stderr).toContain(`The organization is ${organization.id}, its administrator ${user.id}.\n`)
  })

  it('refuses the name of an existing organization, and creates nothing', async () => {
    const before = await records()
    const { organization } = before.find((record) => record.organization?.name === 'Acme')
    const again = await Promise.all([init('Acme'), init('Acme', '--json')])
    for (const { status, stdout, stderr } of again) {
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).toBe(`svc: an organization with this name already exists: ${organization.id}\n`)
    }
    expect(await records()).toEqual(before)
  })

  it('creates one organization for concurrent requests with one name', async () => {
    const answers = await Promise.all([init('Twin'), init('Twin'), init('Twin')])
    expect(answers.filter(({ status }) => status === 0)).toHaveLength(1)
  })

  it('prints one object for programs, and accepts an address used in another organization', async () => {
    const { status, stdout, stderr } = await init('Other', '--json')
    expect([status, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual({
      organizationId: expect.any(String),
      userId: expect.any(String),
      token: expect.stringMatching(/^svc_user_/),
      expiresAt: expect.any(String),
    })
  })

  it.each([
    ['', 'ada@acme.example', 'organization.name: '],
    ['New', 'ada', 'user.email: '],
  ])('refuses the name %j with the address %j, and creates nothing', async (org, admin, fault) => {
    const before = await records()
    const { status, stdout, stderr } = await svc('init', '--org', org, '--admin', admin)
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr.startsWith(`svc: ${fault}`)).toBe(true)
    expect(await records()).toEqual(before)
  })
})
