import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { runInProcess } from '../support/command-line.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'

describe('svc demo reset', () => {
  let testDatabase: TestDatabase
  const svc = (args: readonly string[], stdin = '') => runInProcess(args, { env: testDatabase.environment, stdin })
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
  })
  afterAll(() => testDatabase.drop())

  it('restores the demo organization, and removes what was added to it', async () => {
    const said = 'The demo organization has been reset. Earlier keys and tokens are gone.\n'
    expect(await svc(['demo', 'reset'])).toEqual({ status: 0, stdout: said, stderr: '' })
    const loaded = (await svc(['export'])).stdout
    expect(loaded).toContain('"user_ada"')
    const user = { id: 'user_new', organizationId: 'org_acme', email: 'new@acme.example' }
    const priority = { id: 'pri_urgent', teamId: 'team_it', priority: 'P1', name: 'Changed' }
    const changes = `${JSON.stringify({ user })}\n${JSON.stringify({ priority })}\n`
    expect((await svc(['import', '-'], changes)).stderr).toBe('')
    expect((await svc(['keys', 'create', '--org', 'org_acme'])).status).toBe(0)
    expect((await svc(['export'])).stdout).not.toBe(loaded)
    expect((await svc(['demo', 'reset'])).status).toBe(0)
    expect((await svc(['export'])).stdout).toBe(loaded)
    expect(await svc(['keys', 'list', '--org', 'org_acme'])).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it('deletes nothing if there is another organization', async () => {
    const organization = { id: 'org_real', name: 'Real', region: 'eu' }
    await svc(['import', '-'], JSON.stringify({ organization }))
    const before = (await svc(['export'])).stdout
    const { status, stderr } = await svc(['demo', 'reset'])
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('other than the demo, such as org_real: nothing was deleted'),
    ])
    expect((await svc(['export'])).stdout).toBe(before)
  })
})
