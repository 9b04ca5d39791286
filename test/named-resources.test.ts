import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { services } from '../src/handlers/routes.js'
import { httpRouteOf } from '../src/openapi/operation.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from './support/fixture.js'
import { startTestService, type TestService } from './support/service.js'

const { users, priorities } = fixture

let service: TestService
let token: string
let key: string
beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  token = await insertUserToken(service.database, { userId: users.admin })
  key = (await insertApiKey(service.database, { organizationId: fixture.acme })).token
})
afterAll(() => service.stop())

/** What the paths of methods name, as JSON spells it. */
const namedByPath = services.flatMap(({ typeName, methods }) =>
  methods.flatMap((method) => {
    const [, name] = /\{(\w+)\}/.exec(httpRouteOf(method)?.path ?? '') ?? []
    const field = method.input.fields.find((each) => each.name === name)
    return field === undefined ? [] : [[`${typeName}/${method.name}`, field.jsonName] as const]
  }),
)

describe('a resource named in the path of a method', () => {
  it.each(namedByPath)('is required over Connect: %s says that %s is missing', async (procedure, field) => {
    const call = { token: procedure.endsWith('RepublishUser') ? key : token, json: {} }
    const { status, json } = await service.rest('POST', `/${procedure}`, call)
    expect(status).toBe(400)
    expect(json.message).toMatch(new RegExp(`^${field}: is required`))
    expect(json.details[0].debug.fieldViolations[0]).toMatchObject({ field, reason: 'ERROR_REASON_FIELD_REQUIRED' })
  })

  it.each([
    ['PUT', `/v2/users/${users.agent}`, 'jobTitle'],
    ['PATCH', `/v2/priorities/${priorities.it}`, 'name'],
  ])('must not differ in the body: %s %s', async (method, path, field) => {
    const id = path.split('/').at(-1)
    const refused = await service.rest(method, path, { token, json: { id: users.viewer, [field]: 'Changed' } })
    expect([refused.status, refused.json.detail.debug.fieldViolations[0].field]).toEqual([400, 'id'])
    // The document has no `id` in the body, so this is sent past what judges by it.
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ id, [field]: 'Changed' })
    const taken = await fetch(service.baseUrl + path, { method, headers, body })
    expect([taken.status, await taken.json()]).toMatchObject([200, { data: { id, [field]: 'Changed' } }])
  })

  it('is not suggested as a query parameter, which would be refused', async () => {
    const answer = await service.rest('GET', `/v2/teams/${fixture.it}/sla-definitions?foo=1`, { token })
    expect(answer.status).toBe(400)
    expect(answer.json.message).toContain('"foo" is unknown')
    expect(answer.json.message).not.toContain('teamId')
    const update = await service.rest('PATCH', `/v2/priorities/${priorities.it}?nam=1`, { token, json: {} })
    expect([update.status, update.json.message]).toEqual([400, expect.stringContaining('belong in the body')])
    expect(update.json.message).not.toContain('did you mean')
  })
})
