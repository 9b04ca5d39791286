import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { services } from '../src/handlers/routes.js'
import { fixture, insertApiKey, insertFixture, insertUserToken } from './support/fixture.js'
import { type RequestJson, restFormOf } from './support/method-forms.js'
import { startTestService, type TestService } from './support/service.js'
import { writeCalls } from './support/write-calls.js'

const creations = writeCalls.filter(({ name }) => name.startsWith('Create'))

describe('what is created', () => {
  let service: TestService
  const tokens = { admin: '', key: '' }
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    tokens.admin = await insertUserToken(service.database, { userId: fixture.users.admin })
    tokens.key = (await insertApiKey(service.database, { organizationId: fixture.acme })).token
  })
  afterAll(() => service.stop())

  it.each(creations)('by $name can be read, and is in its list', async ({ name, caller, request }) => {
    const methods = services.find((each) => each.methods.some((method) => method.name === name))?.methods ?? []
    const object = methods.find((each) => each.name === name)?.output.field['data']?.message
    const call = async (verb: string, message: RequestJson): Promise<{ readonly data: RequestJson }> => {
      const ofObject = methods.filter(({ output }) => output.field['data']?.message === object)
      const method = ofObject.find((each) => each.name.startsWith(verb))
      if (method === undefined) throw new Error(`there is no method to ${verb} what ${name} creates`)
      const named = method.input.fields.map(({ localName }) => localName)
      const given = Object.fromEntries(Object.entries(message).filter(([field]) => named.includes(field)))
      const { path, verb: rest, json } = restFormOf(method, given)
      const answer = await service.rest(rest, path, { token: tokens[caller], ...(json && { json }) })
      expect([method.name, answer.status, answer.text]).toEqual([method.name, 200, answer.text])
      return answer.json
    }
    const asked = request(1)
    const { data: created } = await call('Create', asked)
    expect(created).toMatchObject((await call('Get', { ...asked, ...created })).data)
    if (methods.some((method) => method.name.startsWith('List'))) {
      const { data } = await call('List', { ...asked, ...created })
      const listed = Object.values(data).filter((each) => Object(each).id === created['id'])
      expect([created]).toMatchObject(listed)
    }
  })
})
