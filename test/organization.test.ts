import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture, insertUserToken } from './support/fixture.js'
import { callMethod, formsOf, type MethodForms, protocols, type RequestJson } from './support/method-forms.js'
import { startTestService, type TestService } from './support/service.js'

const { acme, globex, users } = fixture

const get = formsOf('GetOrganization')
const update = formsOf('UpdateOrganization')

describe.each(protocols)('the organization over %s', (protocol) => {
  let service: TestService
  let admin: string
  let requester: string

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    admin = await insertUserToken(service.database, { userId: users.admin })
    requester = await insertUserToken(service.database, { userId: users.requester })
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    await service.database.execute('DELETE FROM audit_events')
    await service.database.execute(`UPDATE organizations SET name = 'Acme' WHERE id = $1`, [acme])
  })

  const call = (method: MethodForms, request: RequestJson = {}, token = admin, headers = {}) =>
    callMethod(service, method, { protocol, request, token, headers })
  const events = () =>
    service.database.query(
      `SELECT action, target_type AS "targetType", target_id AS "targetId", changed_fields AS fields
         FROM audit_events ORDER BY occurred_at, id`,
    )
  const renamed = (...fields: readonly string[]) => ({
    action: 'organization.update',
    targetType: 'organization',
    targetId: acme,
    fields,
  })

  it('is shown to everyone inside, each their own', async () => {
    const data = { id: acme, name: 'Acme', region: 'us' }
    expect((await call(get, {}, requester)).answer.json).toEqual({ data })
    const { token } = await insertApiKey(service.database, { organizationId: globex, permissions: [] })
    expect((await call(get, {}, token)).answer.json.data.id).toBe(globex)
  })

  it('is renamed by administrators, which is recorded with the field if it differs', async () => {
    const data = { id: acme, name: 'Acme “é”', region: 'us' }
    for (const request of [{ name: data.name }, { name: data.name }, {}]) {
      const { status, answer } = await call(update, request)
      expect([status, answer.json]).toEqual([200, { data }])
    }
    expect((await call(get)).answer.json).toEqual({ data })
    expect(await events()).toEqual([renamed('name'), renamed(), renamed()])
  })

  it('is renamed by organization keys with every permission', async () => {
    const { token } = await insertApiKey(service.database, { organizationId: acme })
    expect((await call(update, { name: 'By a key' }, token)).status).toBe(200)
  })

  it('is not renamed by others, nor without a name', async () => {
    for (const token of [requester, await insertUserToken(service.database, { userId: users.manager })]) {
      const { reason, metadata } = await call(update, { name: 'Mine' }, token)
      expect([reason, metadata]).toEqual(['PERMISSION_MISSING', { permission: 'USER_ROLE_ORG_ADMIN' }])
    }
    expect((await call(update, { name: '' })).reason).toBe('FIELD_INVALID')
    expect((await call(get)).answer.json.data.name).toBe('Acme')
    expect(await events()).toEqual([])
  })

  it('is written only in the version that If-Match names', async () => {
    const read = await call(get)
    const old = { 'if-match': read.answer.headers.get('etag') ?? '' }
    const changed = await call(update, { name: 'New' }, admin, old)
    expect(changed.status).toBe(200)
    expect((await call(update, { name: 'Newer' }, admin, old)).reason).toBe('ETAG_MISMATCH')
    const current = { 'if-match': changed.answer.headers.get('etag') ?? '' }
    expect((await call(update, { name: 'Newer' }, admin, current)).status).toBe(200)
    expect(await events()).toEqual([renamed('name'), renamed('name')])
  })
})
