import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { registerDirectoryCommand } from '../../src/cli/directory.js'
import { runCommandBeside } from '../support/command-beside.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { callMethod, formsOf, type Protocol, protocols } from '../support/method-forms.js'
import { connectDirectory } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

const { globex } = fixture

const getDirectoryStatus = formsOf('GetDirectoryStatus')

describe('svc directory status', () => {
  let service: TestService

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
  })
  afterAll(() => service.stop())

  const svc = (...line: readonly string[]) =>
    runCommandBeside(service, [registerDirectoryCommand], ['directory', 'status', ...line])
  const status = async () => {
    const { failure, stdout } = await svc('--org', globex, '--json')
    expect([failure, stdout.split('\n').length]).toEqual([undefined, 2])
    return JSON.parse(stdout)
  }

  const overApi = async (protocol: Protocol) => {
    const token = await insertUserToken(service.database, {
      userId: fixture.users.globexAdmin,
      organizationId: globex,
    })
    const { status: code, answer } = await callMethod(service, getDirectoryStatus, { protocol, request: {}, token })
    expect(code).toBe(200)
    return answer.json.data
  }

  it('reports that nothing is connected', async () => {
    expect(await status()).toEqual({
      organizationId: globex,
      connections: [],
      users: { supplied: 0, active: 0, deleted: 0 },
      refusals: [],
    })
    for (const protocol of protocols) expect(await overApi(protocol)).toEqual(await status())
    expect((await svc('--org', globex)).stdout).toBe(
      [
        'connection  none: create a management key with "svc keys create --kind mk"',
        'last write  never',
        'people      0 supplied, 0 of them active, 0 deleted',
        'refused     nothing\n',
      ].join('\n'),
    )
  })

  it('fails for an unknown organization', async () => {
    expect((await svc('--org', 'nobody')).failure).toMatch(/organization/)
  })

  it('shows the connection, the last write, the users it supplies, and what it was refused', async () => {
    const directory = await connectDirectory(service, globex)
    const ada = await directory.add({ userName: 'ada@example.com' })
    await directory.add({ userName: 'bob@example.com', active: false })
    const eve = await directory.add({ userName: 'eve@example.com' })
    await directory.send('DELETE', `/Users/${eve.id}`)
    expect((await directory.send('GET', '/Users/nobody')).status).toBe(404)
    expect((await directory.send('POST', '/Users', { schemas: ada.schemas, title: 'Nobody' })).status).toBe(400)
    const taken = await directory.send('POST', '/Users', { schemas: ada.schemas, userName: 'ADA@example.com' })
    expect([taken.status, taken.body.scimType]).toEqual([409, 'uniqueness'])
    await directory.send('GET', `/Users?filter=${encodeURIComponent('color eq "blue"')}`)

    let shown = await status()
    await eventually(async () => {
      shown = await status()
      expect(shown.refusals.length).toBe(3)
    })
    expect(shown).toEqual({
      organizationId: globex,
      connections: [expect.objectContaining({ keyId: directory.key.id, state: 'active' })],
      lastWriteAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      users: { supplied: 2, active: 1, deleted: 1 },
      refusals: expect.anything(),
    })
    const refusals: Record<string, unknown>[] = shown.refusals
    expect(refusals.map(({ method, path, status: answer, scimType }) => [method, path, answer, scimType])).toEqual([
      ['GET', '/Users', 400, 'invalidFilter'],
      ['POST', '/Users', 409, 'uniqueness'],
      ['POST', '/Users', 400, 'invalidValue'],
    ])
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ keyId: directory.key.id, requestId: expect.stringMatching(/./) })
      expect(Date.parse(String(refusal['occurredAt']))).toBeGreaterThan(0)
    }
    // Filters name people, and are left out.
    expect(JSON.stringify(refusals)).not.toContain('filter=')
    for (const protocol of protocols) expect(await overApi(protocol)).toEqual(shown)
    const { stdout } = await svc('--org', globex)
    expect(stdout).toContain(`connection  ${directory.key.id}  active  used `)
    expect(stdout).toContain(
      'people      2 supplied, 1 of them active, 1 deleted\nrefused     3 of the last requests\n',
    )
    expect(stdout).toMatch(/ {2}GET \/Users {2}400 invalidFilter: filter names the unknown attribute color\n/)
    expect((await svc('--org', fixture.acme)).stdout).toContain('refused     nothing')
  })

  it('distinguishes values that were left out of an accepted request from refused requests', async () => {
    const directory = await connectDirectory(service, fixture.acme)
    await directory.add({ userName: 'left-out@example.com', timezone: 'Nowhere/Atlantis' })
    await eventually(async () => {
      const { stdout } = await svc('--org', fixture.acme)
      expect(stdout).toContain('refused     nothing\nleft out    a value in 1 of the last requests\n')
      expect(stdout).toMatch(/ {2}POST \/Users {2}left-out@example\.com timezone: /)
      expect(stdout).not.toContain('invalidValue')
    })
  })

  it('keeps the last hundred refusals', async () => {
    const directory = await connectDirectory(service, globex)
    const refuse = (name: string) => directory.send('GET', `/Users?sortBy=${name}`)
    for (let index = 0; index < 105; index++) expect((await refuse(`unknown${index}`)).status).toBe(400)
    await eventually(async () => {
      const { refusals } = await status()
      expect(refusals.map(({ detail }: { detail: string }) => detail)).toContainEqual(
        expect.stringContaining('unknown104'),
      )
      expect(refusals.length).toBe(100)
    })
  })

  it('reports that a key is revoked', async () => {
    await service.database.execute(
      `UPDATE api_keys SET revoked_at = now(), revoked_by = 'OPERATOR' WHERE organization_id = $1 AND kind = 'mk'`,
      [globex],
    )
    const { connections } = await status()
    expect(connections.map(({ state }: { state: string }) => state)).toEqual(['revoked', 'revoked'])
  })
})
