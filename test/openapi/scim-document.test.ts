import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { scimRoutes } from '../../src/scim/routes.js'
import { insertFixture } from '../support/fixture.js'
import { createSchemaValidator, type Json, readOpenApi } from '../support/json-schemas.js'
import { connectDirectory } from '../support/scim.js'
import { assertScimContract, type ScimExchange } from '../support/scim-contract.js'
import { startTestService, type TestService } from '../support/service.js'

const document = readOpenApi('scim')
const { schemas } = document.components
const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, definition]) => ({ path, method, definition })),
)

describe('the SCIM document', () => {
  it('has every SCIM operation once', () => {
    expect(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
      scimRoutes.map(({ path, method }) => `${method} /scim/v2${path}`).sort(),
    )
    expect(new Set(operations.map(({ definition }) => definition.operationId)).size).toBe(scimRoutes.length)
  })

  it('requires a management key everywhere, and shares no path with the document of the API', () => {
    expect(operations.filter(({ definition }) => definition.security[0].managementKey === undefined)).toEqual([])
    const { paths } = readOpenApi()
    expect(Object.keys(document.paths).filter((path) => path in paths)).toEqual([])
  })

  it('has no reference but to its own components, in examples either', () => {
    const others: unknown[] = []
    JSON.stringify(document, (name, value) => {
      if (name === '$ref' && typeof value === 'string' && !value.startsWith('#/components/')) others.push(value)
      return value
    })
    expect(others).toEqual([])
  })

  it('describes every parameter, property and schema', () => {
    const bare: string[] = []
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      const isDescribed = '$ref' in value || 'description' in value
      if (/\/(parameters\/\w+|(get|put|post|patch|delete)|properties\/[^/]+)$/.test(path) && !isDescribed)
        bare.push(path)
      if (/^\/components\/(schemas|headers)\/[^/]+$/.test(path) && !isDescribed) bare.push(path)
      for (const [key, part] of Object.entries(value)) {
        if (key !== 'example' && key !== 'examples') visit(part, `${path}/${key}`)
      }
    }
    visit(document, '')
    expect(bare).toEqual([])
  })

  it('has a valid example of every response and request body', () => {
    const validate = createSchemaValidator(document)
    const faults: unknown[] = []
    let count = 0
    const check = ({ schema, example, examples = {} }: Json, place: string) => {
      const given = example === undefined ? Object.values<Json>(examples).map(({ value }) => value) : [example]
      count += given.length
      if (given.length === 0) faults.push(`${place} has no example`)
      for (const each of given) {
        const fault = validate(schema, each)
        if (fault !== undefined) faults.push(`${place}: ${fault}`)
      }
    }
    for (const { path, method, definition } of operations) {
      const place = `${method} ${path}`
      if (definition.requestBody !== undefined) check(definition.requestBody.content['application/scim+json'], place)
      for (const [status, { content }] of Object.entries<Json>(definition.responses)) {
        const isOther = status === 'default' || (definition.operationId === 'patchGroup' && status === '200')
        if (content !== undefined && !isOther) check(content['application/scim+json'], `${place} ${status}`)
      }
    }
    expect(faults).toEqual([])
    expect(count).toBeGreaterThan(100)
  })

  it('excludes read-only attributes from requests, and marks the required ones', () => {
    expect(Object.keys(schemas.User.properties)).toEqual(expect.arrayContaining(['id', 'meta', 'groups', 'emails']))
    for (const name of ['id', 'meta', 'groups']) expect(Object.keys(schemas.UserInput.properties)).not.toContain(name)
    expect([schemas.UserInput.required, schemas.GroupInput.required]).toEqual([['userName'], ['displayName']])
    const [owner] = Object.values<Json>(schemas.User.properties).flatMap(
      ({ properties }) => properties?.fieldOwnership ?? [],
    )
    expect(owner.items.properties.owner.enum).toContain('FIELD_OWNER_DIRECTORY')
  })
})

describe('the schemas of the SCIM document', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
  })
  afterAll(() => service.stop())

  it('have the attributes that the service reports', async () => {
    const { body } = await (await connectDirectory(service)).send('GET', '/Schemas')
    const missingIn = (attributes: readonly Json[], { properties, items }: Json): string[] =>
      attributes.flatMap(({ name, subAttributes = [] }) => {
        const schema = (properties ?? items?.properties)?.[name]
        return schema === undefined ? [name] : missingIn(subAttributes, schema)
      })
    const [user, enterprise, ownership, group] = body.Resources
    expect(missingIn(user.attributes, schemas.User)).toEqual([])
    for (const { id, attributes } of [enterprise, ownership]) {
      expect(missingIn(attributes, schemas.User.properties[id])).toEqual([])
    }
    expect(missingIn(group.attributes, schemas.Group)).toEqual([])
  })
})

describe('the comparison of responses with the SCIM document', () => {
  const answer: ScimExchange = {
    method: 'GET',
    path: '/Users/ada',
    status: 200,
    headers: new Headers({ etag: '"1"', 'content-location': '/' }),
    body: { schemas: [], id: 'ada' },
  }

  it('finds no fault in documented responses', () => {
    expect(() => assertScimContract(answer)).not.toThrow()
  })

  it.each<[string, ScimExchange]>([
    ['an undocumented attribute', { ...answer, body: { ...answer.body, colour: 'red' } }],
    ['a missing one', { ...answer, body: { id: 'ada' } }],
    ['another type', { ...answer, body: { ...answer.body, active: 'True' } }],
    ['an undocumented status', { ...answer, status: 201 }],
    ['a missing header', { ...answer, headers: new Headers() }],
    ['an error of another form', { ...answer, status: 404, body: { code: 'not_found' } }],
    ['a path that is not there', { ...answer, path: '/Devices' }],
  ])('finds %s', (_, exchange) => {
    expect(() => assertScimContract(exchange)).toThrow()
  })
})
