import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { parse } from 'yaml'
import { ImportRecordSchema } from '../../gen/svc/v2/import_record_pb.js'
import { services } from '../../src/handlers/routes.js'
import { parseTrustProxy } from '../../src/http/client-address.js'
import { takesIdempotencyKey } from '../../src/limits/method-rules.js'
import { contractFiles } from '../../src/openapi/contract.js'
import { packageVersion } from '../../src/package.js'
import { assertContract, type Exchange } from '../support/contract.js'
import { operationsIn } from '../support/demo-requests.js'
import { createSchemaValidator, type Json, readOpenApi } from '../support/json-schemas.js'
import { startTestService, type TestService } from '../support/service.js'

const root = join(import.meta.dirname, '../..')
const bin = (name: string) => join(root, 'node_modules/.bin', name)

describe('the committed documents', () => {
  const image = execFileSync(bin('buf'), ['build', '-o', '-'], { cwd: root })
  const read = (name: string) => JSON.parse(readFileSync(join(root, 'gen/openapi', name), 'utf8'))
  const files = contractFiles(image, packageVersion(root), read('examples.json'), read('scim-examples.json'))

  it.each([...files])('%s matches the schema', (name, text) => {
    expect(readFileSync(join(root, name), 'utf8')).toBe(text)
  })

  it('documents a response to malformed requests for every operation', () => {
    const without = Object.entries(readOpenApi().paths).flatMap(([path, verbs]) =>
      Object.entries(Object(verbs)).flatMap(([verb, operation]) =>
        Object(operation).responses?.['400'] === undefined ? [`${verb} ${path}`] : [],
      ),
    )
    expect(without).toEqual([])
  })

  it('satisfy every recommended linter rule', async () => {
    const documents = [...files.keys()].filter((name) => name.startsWith('gen/openapi/'))
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const lint = (files: readonly string[]) =>
      promisify(execFile)(bin('redocly'), ['lint', ...files], { cwd: root, env })
    await expect(lint(documents)).resolves.toBeDefined()
    await expect(lint(['redocly.yaml'])).rejects.toThrow('Command failed')
  })

  it('are the same in JSON and in YAML', () => {
    for (const name of ['openapi', 'revoke', 'scim']) {
      expect(parse(readFileSync(join(root, `gen/openapi/${name}.yaml`), 'utf8'))).toEqual(readOpenApi(name))
    }
  })
})

describe('the document', () => {
  const document = readOpenApi()
  const operations = Object.values<object>(document.paths).flatMap((item) => Object.values(item))

  it('is OpenAPI 3.1 with both regional servers', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.servers.map((server: { description: string }) => server.description)).toEqual([
      'US region, the default',
      'EU region',
    ])
  })

  it('has every method of the API once', () => {
    const methods = services.flatMap((service) => service.methods.map((method) => method.localName))
    expect(new Set(operations.map(({ operationId }) => operationId))).toEqual(new Set(methods))
    expect(operations).toHaveLength(methods.length)
  })

  it('leaves the two forms open, which ignore unknown fields, and closes every other body', () => {
    const open = operations.flatMap(({ operationId, requestBody }) => {
      const [body] = Object.values<Json>(requestBody?.content ?? {})
      if (body === undefined) return []
      const { $ref } = body.schema.items ?? body.schema
      const schema = document.components.schemas[$ref.split('/').at(-1)]
      const forms = schema.oneOf ?? [schema]
      return forms.every((form: Json) => form.additionalProperties === false) ? [] : [operationId]
    })
    expect(open.toSorted((a, b) => a.localeCompare(b))).toEqual(['createToken', 'revokeLeakedKey'])
  })

  it('describes every operation, parameter, property and enum value', () => {
    const bare: string[] = []
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      const described = '$ref' in value || ('description' in value && String(value.description).trim().length > 3)
      if (/\/(parameters\/\d+|(get|put|post|patch|delete)|properties\/[^/]+)$/.test(path) && !described) bare.push(path)
      if (/^\/components\/(schemas|parameters|headers)\/[^/]+$/.test(path) && !described) bare.push(path)
      if ('enum' in value && 'description' in value && /: *$/m.test(String(value.description))) bare.push(path)
      for (const [key, part] of Object.entries(value)) visit(part, `${path}/${key}`)
    }
    visit(document, '')
    // A limit of a property that a neighbour describes.
    expect(bare.filter((path) => !path.includes('/allOf/'))).toEqual([])
  })

  it('has the Idempotency-Key wherever the service accepts one', () => {
    const methods = services.flatMap((service) => service.methods).filter(takesIdempotencyKey)
    const documented = operations.filter(({ parameters = [] }) =>
      parameters.some(({ $ref }: Json) => $ref === '#/components/parameters/IdempotencyKey'),
    )
    expect(new Set(documented.map(({ operationId }) => operationId))).toEqual(
      new Set(methods.map(({ localName }) => localName)),
    )
  })

  it('requires a token wherever the service does', () => {
    const open = operations.filter(({ security }) => security.length === 0).map(({ operationId }) => operationId)
    expect(new Set(open)).toEqual(new Set(['createToken', 'revokeLeakedKey']))
    const declared = operations.flatMap(({ security }) => security.flatMap(Object.keys))
    expect(new Set(declared)).toEqual(new Set(Object.keys(document.components.securitySchemes)))
    const journey = operations.find(({ operationId }) => operationId === 'getJourney')
    expect(journey.security).toEqual([{ accessToken: ['tickets:read'] }])
  })

  it('marks the required and the read-only fields', () => {
    const { schemas } = document.components
    expect(schemas.CreateUserRequest.required).toEqual(['email'])
    for (const { title, properties, required } of schemas.StepInput.oneOf) {
      expect([properties.id.readOnly, required]).toEqual([true, [title]])
    }
    expect(schemas.Step.required).toContain('id')
    const mappings = document.paths['/v2/entity-field-mappings'].get.parameters
    expect(mappings.map((each: { name: string; required: boolean }) => [each.name, each.required])).toEqual([
      ['entityTypeId', true],
      ['ingestionConfigId', false],
    ])
  })

  it('allows only one choice where exactly one is required', () => {
    const validate = createSchemaValidator(document)
    const { schemas } = document.components
    const choices = Object.entries<Json>(schemas).flatMap(([name, { oneOf = [] }]) =>
      oneOf.map(({ title }: Json) => [name, title]),
    )
    expect(choices).toEqual([
      ...['appOwner', 'manager', 'user', 'group'].map((kind) => ['Approver', kind]),
      ...['appOwner', 'manager', 'user', 'group'].map((kind) => ['ApproverInput', kind]),
      ['CreateAccessPolicyApprovalProcedureRequest', 'stages'],
      ['CreateAccessPolicyApprovalProcedureRequest', 'steps'],
      ...ImportRecordSchema.oneofs.flatMap(({ fields }) => fields.map(({ jsonName }) => ['ImportRecord', jsonName])),
      ['StepInput', 'approvers'],
      ['StepInput', 'customWorkflow'],
      ['UpdateAccessPolicyApprovalProcedureRequest', 'stages'],
      ['UpdateAccessPolicyApprovalProcedureRequest', 'steps'],
    ])
    const values: Json = {
      appOwner: {},
      manager: {},
      user: { userId: 'u' },
      group: { groupId: 'g' },
      approvers: [{ manager: {} }],
      customWorkflow: { workflowId: 'w' },
    }
    for (const [one, other] of [
      ['appOwner', 'manager'],
      ['user', 'group'],
      ['group', 'appOwner'],
      ['approvers', 'customWorkflow'],
    ] as const) {
      const name = one === 'approvers' ? 'StepInput' : 'ApproverInput'
      expect(validate(schemas[name], { [one]: values[one], [other]: null })).toBeUndefined()
      expect(validate(schemas[name], { [one]: values[one], [other]: values[other] })).toBeDefined()
      expect(validate(schemas[name], {})).toBeDefined()
    }
  })

  it('has form bodies where the service accepts forms, and the limit on revoke', () => {
    const revoke = document.paths['/v2/auth/revoke'].post
    expect(Object.keys(revoke.requestBody.content)).toEqual(['application/x-www-form-urlencoded'])
    expect(revoke.responses['200'].content).toBeUndefined()
    expect(revoke.responses['429'].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/SlowDown',
    })
    expect(revoke.responses['429'].headers['Retry-After'].required).toBe(true)
  })

  it('has the promised status codes', () => {
    const codes = new Set(document.components.schemas.Error.properties.code.enum)
    expect(codes).toEqual(
      new Set([
        'canceled',
        'unknown',
        'invalid_argument',
        'deadline_exceeded',
        'not_found',
        'already_exists',
        'permission_denied',
        'resource_exhausted',
        'failed_precondition',
        'aborted',
        'out_of_range',
        'unimplemented',
        'internal',
        'unavailable',
        'data_loss',
        'unauthenticated',
      ]),
    )
  })

  it('has a separate document for the revoke operation, under the promised name', () => {
    const revoke = readOpenApi('revoke')
    const { title, version } = revoke.info
    expect([revoke.openapi, title, version]).toEqual(['3.1.0', 'API Spec: Revocation of Leaked API Keys', '1.0.0'])
    expect(Object.keys(revoke.paths)).toEqual(['/v2/auth/revoke'])
  })
})

describe('the served documents', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.stop())

  it.each([
    ['/v2/openapi', 'openapi', '/docs/guides'],
    ['/v2/auth/revoke/openapi', 'revoke', '/docs/guides/secret-scanning.md'],
    ['/scim/v2/openapi', 'scim', '/docs/guides/directory.md'],
  ])('%s differ from the committed ones only in their addresses', async (path, name, guide) => {
    const json = (await service.rest('GET', `${path}.json`)).json
    const yaml = await service.rest('GET', `${path}.yaml`)
    expect(yaml.headers.get('content-type')).toBe('application/yaml')
    expect(parse(yaml.text)).toEqual(json)
    // There is no address of an EU region where none is configured.
    expect(json.servers).toEqual([{ url: service.baseUrl, description: 'US region, the default' }])
    expect(json.externalDocs.url).toBe(`${service.baseUrl}${guide}`)
    const addresses = { servers: [], externalDocs: {} }
    expect({ ...json, ...addresses }).toEqual({ ...readOpenApi(name), ...addresses })
  })

  it.each([
    ['a trusted proxy', '127.0.0.0/8', 'https', 'https'],
    ['a number of proxies', '1', 'https', 'https'],
    ['several proxies, the nearest of which counts', '1', 'https, http', 'http'],
    ['a proxy that says something else', '1', 'ftp', 'http'],
    ['a proxy that is not trusted', '10.0.0.0/8', 'https', 'http'],
    ['nobody', '', 'https', 'http'],
  ])('name the scheme that was asked over before %s', async (_, trusted, forwarded, scheme) => {
    const behind = await startTestService({ config: { trustProxy: parseTrustProxy(trusted) } })
    const headers = { 'x-forwarded-proto': forwarded }
    const answers = [
      await behind.rest('GET', '/v2/openapi.json', { headers }),
      await behind.rest('GET', '/scim/v2/openapi.json', { headers }),
    ]
    await behind.stop()
    const address = behind.baseUrl.replace(/^http:/, `${scheme}:`)
    for (const { json } of answers) expect(json.servers[0].url).toBe(address)
  })

  it('name the configured addresses', async () => {
    const config = { publicUrl: 'https://api.example.com/', publicUrlEu: 'https://api.eu.example.com' }
    const configured = await startTestService({ config })
    const { json } = await configured.rest('GET', '/v2/openapi.json')
    const docs = await configured.rest('GET', '/docs')
    await configured.stop()
    expect(json.servers).toEqual([
      { url: 'https://api.example.com', description: 'US region, the default' },
      { url: 'https://api.eu.example.com', description: 'EU region' },
    ])
    expect(docs.headers.get('content-security-policy')).toContain(
      "connect-src 'self' https://api.example.com https://api.eu.example.com;",
    )
  })
})

describe('the comparison of traffic with the document', () => {
  const answer: Exchange = {
    method: 'GET',
    path: '/v2/department-options',
    contentType: null,
    body: null,
    status: 200,
    headers: new Headers({ 'content-type': 'application/json' }),
    text: '{"data":[]}',
  }
  const update = { ...answer, method: 'PATCH', path: '/v2/priorities/p1', contentType: 'application/json' }
  const priority = { id: 'p', teamId: 't', priority: 'P1', description: '', scopedId: 's', name: 'n' }
  const updated = JSON.stringify({ data: { ...priority, isAiSelectable: false } })

  it('finds no fault in documented traffic', () => {
    expect(() => assertContract(answer)).not.toThrow()
    expect(() => assertContract({ ...update, body: '{"name":"n"}', text: updated })).not.toThrow()
  })

  it.each<[string, Exchange]>([
    ['an undocumented field', { ...answer, text: '{"data":[],"more":1}' }],
    ['an undocumented field of an item', { ...answer, text: '{"data":[{"id":"a","name":"b","c":1}]}' }],
    ['a missing field', { ...answer, text: '{}' }],
    ['another type', { ...answer, text: '{"data":[{"id":1,"name":"b"}]}' }],
    ['an undocumented status', { ...answer, status: 201 }],
    [
      'an error that the operation does not have',
      { ...answer, status: 404, text: '{"code":"not_found","message":""}' },
    ],
    ['an error body of another shape', { ...answer, status: 403, text: '{"error":"no"}' }],
    ['a code that does not belong to the status', { ...answer, status: 403, text: '{"code":"internal","message":""}' }],
    ['a missing header', { ...answer, status: 401, text: '{"code":"unauthenticated","message":""}' }],
    ['another content type', { ...answer, headers: new Headers({ 'content-type': 'text/plain' }) }],
    ['an undocumented query parameter', { ...answer, path: '/v2/department-options?x=1' }],
    ['an undocumented field of a request', { ...update, body: '{"title":"n"}', text: updated }],
    ['a request beyond a limit', { ...update, body: '{"name":""}', text: updated }],
    ['an operation that is not there', { ...answer, method: 'POST' }],
    ['a path that is not there', { ...answer, path: '/v2/nothing' }],
  ])('finds %s', (_, exchange) => {
    expect(() => assertContract(exchange)).toThrow()
  })
})

describe('the examples of the document', () => {
  const document = readOpenApi()
  const resolved = (example: Json): Json =>
    example.$ref === undefined ? example : document.components.examples[example.$ref.split('/').at(-1)]

  it('are valid', () => {
    const validate = createSchemaValidator(document)
    const examples: unknown[][] = []
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      if ('examples' in value && Array.isArray(value.examples)) {
        examples.push(...value.examples.map((example) => [value, example]))
      }
      if ('example' in value && 'schema' in value) examples.push([value.schema, value.example])
      if ('examples' in value && 'schema' in value) {
        examples.push(...Object.values<Json>(value.examples ?? {}).map((each) => [value.schema, resolved(each).value]))
      }
      // Answers are no schemas: nothing in them is an example of their own.
      if ('schema' in value) visit(value.schema)
      else Object.values(value).forEach(visit)
    }
    const { examples: shared, ...components } = document.components
    visit({ ...document, components })
    expect(Object.keys(shared)).toContain('CREDENTIAL_MISSING')
    expect(examples.length).toBeGreaterThan(200)
    for (const [schema, example] of examples) expect(validate(schema, example)).toBeUndefined()
  })

  it('exist for every response with a body', () => {
    const bodies = operationsIn(document).flatMap(({ id, definition }) =>
      Object.entries<Json>(definition.responses).flatMap(([status, response]) => {
        const [{ example, examples = {} } = {}] = Object.values<Json>(response.content ?? {})
        const isEmpty = response.$ref !== undefined || response.content === undefined
        return isEmpty || example !== undefined || Object.keys(examples).length > 0 ? [] : [`${id} ${status}`]
      }),
    )
    expect(bodies).toEqual([])
    expect(Object.keys(document.components.responses.Error.content['application/json'].examples)).toEqual([
      'INTERNAL',
      'DEADLINE_EXCEEDED',
    ])
  })
})
