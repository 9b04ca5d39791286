import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture } from '../support/fixture.js'
import { connectDirectory, ENTERPRISE, OWNERSHIP, type ScimClient, USER } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'

interface Described {
  readonly name: string
  readonly type: string
  readonly multiValued: boolean
  readonly mutability: string
  readonly returned: string
  readonly subAttributes?: readonly Described[]
}

describe('the discovery endpoints of SCIM', () => {
  let service: TestService
  let directory: ScimClient

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    directory = await connectDirectory(service, fixture.acme)
  })
  afterAll(() => service.stop())

  const get = async (path: string) => {
    const { status, body } = await directory.send('GET', path)
    expect(status).toBe(200)
    return body
  }

  it('list what is supported, and where it is documented', async () => {
    const config = await get('/ServiceProviderConfig')
    expect(config).toMatchObject({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: true },
      etag: { supported: true },
      authenticationSchemes: [{ type: 'oauthbearertoken', primary: true }],
      meta: { resourceType: 'ServiceProviderConfig', location: `${service.baseUrl}/scim/v2/ServiceProviderConfig` },
    })
    expect((await fetch(config.documentationUri)).status).toBe(200)
  })

  it('give the maximum page size', async () => {
    const { filter } = await get('/ServiceProviderConfig')
    await service.database.execute(
      `INSERT INTO memberships (organization_id, user_id, email) SELECT $1, 'many-' || n, n || '@example.com' FROM generate_series(1, 300) n`,
      [fixture.acme],
    )
    expect((await get('/Users?count=1000')).itemsPerPage).toBe(filter.maxResults)
    expect((await get('/Users')).itemsPerPage).toBe(100)
  })

  it('list the resource types, also one by one', async () => {
    const types = await get('/ResourceTypes')
    expect(types).toMatchObject({ totalResults: 2, itemsPerPage: 2, startIndex: 1 })
    expect(types.Resources).toMatchObject([
      {
        id: 'User',
        name: 'User',
        endpoint: '/Users',
        schema: USER,
        schemaExtensions: [
          { schema: ENTERPRISE, required: false },
          { schema: OWNERSHIP, required: false },
        ],
      },
      { id: 'Group', name: 'Group', endpoint: '/Groups', schema: GROUP, schemaExtensions: [] },
    ])
    for (const type of types.Resources) expect(await get(type.meta.location.split('/scim/v2')[1])).toEqual(type)
  })

  it('describe the schemas, also one by one', async () => {
    const schemas = await get('/Schemas')
    expect(schemas.Resources.map(({ id }: { id: string }) => id)).toEqual([USER, ENTERPRISE, OWNERSHIP, GROUP])
    for (const schema of schemas.Resources) {
      expect(await get(schema.meta.location.split('/scim/v2')[1])).toEqual(schema)
      expect(schema.attributes.length).toBeGreaterThan(0)
    }
    expect((await get(`/Schemas/${USER.toUpperCase()}`)).id).toBe(USER)
  })

  it('give each attribute the characteristics of its type', async () => {
    const { Resources } = await get('/Schemas')
    const faults: string[] = []
    const check = (attribute: Described, path: string) => {
      const { type, subAttributes = [] } = attribute
      const names = ['name', 'type', 'multiValued', 'description', 'required', 'mutability', 'returned', 'uniqueness']
      if (type === 'complex') names.push('subAttributes')
      if (type === 'string' || type === 'reference') names.push('caseExact')
      if (type === 'reference') names.push('referenceTypes')
      const missing = names.filter((name) => !(name in attribute))
      if (missing.length > 0 || (type === 'complex') !== subAttributes.length > 0)
        faults.push(`${path}: ${missing.join()}`)
      for (const sub of subAttributes) check(sub, `${path}.${sub.name}`)
    }
    for (const { id, attributes } of Resources) for (const each of attributes) check(each, `${id}:${each.name}`)
    expect(faults).toEqual([])
  })

  it('describe every attribute that resources have', async () => {
    const { Resources } = await get('/Schemas')
    const described = new Map<string, readonly Described[]>(
      Resources.map(({ id, attributes }: { id: string; attributes: readonly Described[] }) => [id, attributes]),
    )
    const user = await directory.add({
      userName: 'ada@example.com',
      externalId: 'ada',
      displayName: 'Ada',
      title: 'Analyst',
      locale: 'en-GB',
      name: { givenName: 'Ada', familyName: 'Lovelace', formatted: 'Ada L' },
      timezone: 'Europe/London',
      active: true,
      emails: [{ value: 'ada@example.com', type: 'work', primary: true, display: 'Ada' }],
      phoneNumbers: [{ value: '+442071234567', type: 'work' }],
      photos: [{ value: 'https://example.com/ada.png', type: 'photo' }],
      [ENTERPRISE]: { department: 'Engines', manager: { value: fixture.users.manager } },
    })
    const common = ['schemas', 'id', 'externalId', 'meta']
    const unknown = (values: object, attributes: readonly Described[], path: string): string[] =>
      Object.entries(values).flatMap(([name, value]) => {
        const attribute = attributes.find((each) => each.name === name)
        if (attribute === undefined) return [`${path}${name}`]
        const entries: object[] = attribute.type === 'complex' ? [value].flat() : []
        return entries.flatMap((entry) => unknown(entry, attribute.subAttributes ?? [], `${path}${name}.`))
      })
    const { [ENTERPRISE]: enterprise, [OWNERSHIP]: ownership, ...core } = user
    const ofCore = Object.fromEntries(Object.entries(core).filter(([name]) => !common.includes(name)))
    expect(unknown(ofCore, described.get(USER) ?? [], '')).toEqual([])
    expect(unknown(enterprise, described.get(ENTERPRISE) ?? [], '')).toEqual([])
    expect(unknown(ownership, described.get(OWNERSHIP) ?? [], '')).toEqual([])
    const optional = ['groups']
    const names = (described.get(USER) ?? []).map(({ name }) => name)
    expect(names.filter((name) => !(name in user) && !optional.includes(name))).toEqual([])
  })

  it.each(['/Schemas/urn:none', '/ResourceTypes/Device', '/ServiceProviderConfigs'])('have no %s', async (path) => {
    const { status, body } = await directory.send('GET', path)
    expect([status, body.status, body.schemas]).toEqual([404, '404', ['urn:ietf:params:scim:api:messages:2.0:Error']])
  })

  it.each(['/Schemas', '/ResourceTypes', '/ServiceProviderConfig'])('refuse a filter on %s', async (path) => {
    expect((await directory.send('GET', `${path}?filter=id%20pr`)).status).toBe(403)
  })
})
