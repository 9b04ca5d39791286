import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture, insertUser } from '../support/fixture.js'
import { connectDirectory } from '../support/scim.js'
import { type RestAnswer, startTestService, type TestService } from '../support/service.js'

const { acme, globex, users } = fixture
const only = users.globexAdmin
const another = 'another-administrator'

let service: TestService
let token: string

beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  await insertUser(service.database, { id: another, organizationId: globex })
  token = (await insertApiKey(service.database, { organizationId: globex })).token
})
afterAll(() => service.stop())

const call = (method: string, path: string, json?: unknown) => service.rest(method, path, { token, json })
const role = 'USER_ROLE_ORG_MEMBER'
const exported = async (id: string) => {
  const { text } = await call('GET', '/v2/exports')
  const records = text.trim().split('\n')
  return records.map((line) => JSON.parse(line).user).find((user) => user?.id === id)
}
const imported = async (id: string, change: object) =>
  call('POST', '/v2/imports', [{ user: { ...(await exported(id)), ...change } }])

/** Every way to take an administrator from an organization. */
const ways: Readonly<Record<string, (id: string) => Promise<RestAnswer>>> = {
  DeactivateUser: (id) => call('POST', `/v2/users/${id}:deactivate`, {}),
  UpdateUser: (id) => call('PUT', `/v2/users/${id}`, { role }),
  BatchUpdateUsers: (id) => call('PUT', '/v2/users/batch', { users: [{ id, role }] }),
  'ImportRecords, with another role': (id) => imported(id, { role }),
  'ImportRecords, with a deactivation': (id) => imported(id, { deactivatedAt: '2026-03-01T00:00:00Z' }),
}

/** The only reason that an answer has for a refusal: of the call, or of its entry. */
const reasonOf = ({ text }: RestAnswer) => /ERROR_REASON_(\w+)/.exec(text)?.[1]

async function administrators(organizationId: string): Promise<string[]> {
  const rows = await service.database.query<{ id: string }>(
    `SELECT user_id AS id FROM memberships
      WHERE organization_id = $1 AND role = 'ORG_ADMIN' AND deactivated_at IS NULL ORDER BY id`,
    [organizationId],
  )
  return rows.map(({ id }) => id)
}

const restore = (ids: readonly string[]) =>
  service.database.execute(
    `UPDATE memberships SET role = 'ORG_ADMIN', deactivated_at = NULL WHERE organization_id = $1 AND user_id = ANY ($2)`,
    [globex, ids],
  )

describe('the only active administrator', () => {
  it.each(Object.entries(ways))('stays one, whoever asks by %s', async (_, take) => {
    expect(reasonOf(await take(only))).toBe('LAST_ADMINISTRATOR')
    expect(await administrators(globex)).toEqual([only])
    await restore([another])
    expect(reasonOf(await take(another))).toBeUndefined()
    expect(await administrators(globex)).toEqual([only])
  })

  it.each(Object.entries(ways))('is left of two whom calls of %s take at the same time', async (_, take) => {
    await restore([another])
    const answers = await Promise.all([take(only), take(another)])
    expect(answers.flatMap((answer) => reasonOf(answer) ?? [])).toEqual(['LAST_ADMINISTRATOR'])
    expect(await administrators(globex)).toHaveLength(1)
    await restore([only])
    await service.database.execute(
      `UPDATE memberships SET role = 'ORG_MEMBER', deactivated_at = NULL WHERE user_id = $1`,
      [another],
    )
  })

  it('is counted as the entries of a batch leave them', async () => {
    await restore([another])
    const outcomes = async (entries: object[]) => {
      const { json } = await call('PUT', '/v2/users/batch', { users: entries })
      return json.data.map(({ outcome }: { readonly outcome: string }) => outcome.replace('USER_UPDATE_OUTCOME_', ''))
    }
    const demoted = [only, another].map((id) => ({ id, role }))
    expect(await outcomes(demoted)).toEqual(['UPDATED', 'REFUSED'])
    const swapped = [{ id: only, role: 'USER_ROLE_ORG_ADMIN' }, demoted[1]].flatMap((entry) => entry ?? [])
    expect(await outcomes(swapped)).toEqual(['UPDATED', 'UPDATED'])
    expect(await administrators(globex)).toEqual([only])
  })

  it('can be deactivated by the directory: whoever has left keeps no access', async () => {
    const directory = await connectDirectory(service)
    const [admin = ''] = await administrators(acme)
    await directory.patch(`/Users/${admin}`, { op: 'replace', value: { active: false } })
    expect(await administrators(acme)).toEqual([])
  })
})
