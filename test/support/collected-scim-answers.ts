import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createDatabase } from '../../src/db/database.js'
import type { ExampleAnswers, OperationAnswers } from '../../src/openapi/example-answers.js'
import { type ScimExample, scimFragments } from '../../src/openapi/fragments.js'
import { scimRoutes } from '../../src/scim/routes.js'
import { importRecords } from '../../src/transfer/import-records.js'
import { steadyAnswers } from './collected-answers.js'
import { createTestDatabase } from './database.js'
import { startDatabaseProxy } from './database-proxy.js'
import { type InsertedApiKey, insertApiKey } from './fixture.js'
import type { Json } from './json-schemas.js'
import { startTestService } from './service.js'
import { withSql } from './sql.js'

const root = join(import.meta.dirname, '../..')
const organizationId = 'org_acme'
/** The address in examples, whatever the port of the service. */
const PUBLIC_URL = 'http://127.0.0.1:8080'

/** What is changed about the example of an operation. */
interface Change extends ScimExample {
  readonly authorization?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of the body as JSON. */
  readonly text?: string
}

const nobody = { parameters: { id: 'nobody' } }
const oldVersion = { headers: { 'if-match': '"another"' } }
const search = scimFragments.operations['Users/Search']
const patch = (...Operations: object[]) => ({ body: { Operations } }) as Change

/** Requests on the demo organization that rules of an operation refuse, by operation. */
const faults: Readonly<Record<string, readonly Change[]>> = {
  'Users/Create': [
    { body: { userName: 'ada@acme.example' } },
    { body: { userName: 'new@acme.example', active: 'perhaps' } },
  ],
  'Users/Get': [nobody],
  'Users/Replace': [nobody, oldVersion, { body: { userName: 'ada@acme.example' } }, { body: { title: 'Nameless' } }],
  'Users/Patch': [
    nobody,
    oldVersion,
    { body: { Operations: [] } },
    patch({ op: 'replace', path: 'emails[type eq "work"', value: 'hanna@acme.example' }),
    patch({ op: 'replace', path: 'id', value: 'another' }),
    patch({ op: 'replace', path: 'emails[type is work].value', value: 'hanna@acme.example' }),
    patch({ op: 'remove' }),
    patch({ op: 'replace', path: 'userName', value: 'ada@acme.example' }),
  ],
  'Users/Delete': [nobody, oldVersion],
  'Users/List': [
    { parameters: { filter: 'colour eq "red"' } },
    { parameters: { sortBy: 'colour' } },
    { parameters: { startIndex: 'first' } },
  ],
  'Users/Search': [{ body: {} }, { body: { ...search?.example?.body, filter: 'userName is "hanna"' } }],
  'Groups/Create': [
    { body: { displayName: 'Budget Owners' } },
    { body: { displayName: 'Nobodies', members: [{ value: 'nobody' }] } },
  ],
  'Groups/Get': [nobody],
  'Groups/Replace': [nobody, oldVersion, { body: { displayName: 'Budget Owners' } }],
  'Groups/Patch': [nobody, oldVersion, patch({ op: 'replace', path: 'displayName[value eq "x"]', value: 'red' })],
  'Groups/Delete': [nobody, oldVersion, { parameters: { id: 'group_security' } }],
  'Groups/List': [{ parameters: { filter: 'colour eq "red"' } }],
  'Groups/Search': [{ body: {} }],
  'ResourceTypes/Get': [{ parameters: { id: 'Device' } }],
  'Schemas/Get': [{ parameters: { id: 'urn:none' } }],
}

/** The names of all operations; deletions come last. */
export const scimOperations: readonly string[] = scimRoutes
  .toSorted((one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'))
  .map(({ operation }) => operation)

/** Sends requests that the service refuses, then the example of every operation, and collects the responses. */
export async function collectScimAnswers(): Promise<ExampleAnswers> {
  const started = Date.now()
  const testDatabase = await createTestDatabase()
  const database = testDatabase.open()
  const config = { publicUrl: PUBLIC_URL }
  const { runtime, close, baseUrl } = await startTestService({ testDatabase, config })
  await importRecords(database, createReadStream(join(root, 'demo/organization.ndjson')), { runtime })
  const key = await insertApiKey(database, { organizationId, kind: 'mk' })
  const program = await insertApiKey(database, { organizationId })
  const answers: Record<string, OperationAnswers> = {}

  for (const { operation, method } of scimRoutes) {
    const ask = async (change: Change) =>
      keepFault(answers, operation, await sendScimExample(baseUrl, key, operation, change))
    for (const fault of [{ authorization: undefined }, { authorization: `Bearer ${program.token}` }]) await ask(fault)
    if (method !== 'GET' && method !== 'DELETE') {
      await ask({ text: ' '.repeat(5_000_000) })
      await ask({ headers: { 'content-type': 'text/plain' } })
    }
    for (const fault of faults[operation] ?? []) await ask(fault)
  }
  for (const operation of scimOperations) {
    const { status, body } = await sendScimExample(baseUrl, key, operation)
    if (status >= 300) throw new Error(`${operation} answers ${status}: ${JSON.stringify(body)}`)
    if (body !== undefined) answers[operation] = { ...known(answers, operation), success: body }
  }
  await close()
  const proxy = await startDatabaseProxy(testDatabase.connectionString)
  const lost = withSql(
    createDatabase({
      ...testDatabase.sessions,
      connectionString: proxy.connectionString,
      log: { warn: () => {} },
    }),
  )
  const service = await startTestService({ testDatabase: { ...testDatabase, open: () => lost }, config })
  await proxy.cut()
  for (const { operation } of scimRoutes) {
    keepFault(answers, operation, await sendScimExample(service.baseUrl, key, operation))
  }
  await service.close()
  await lost.close()
  await proxy.close()
  await testDatabase.drop()
  // A version follows from when the fields got their owners.
  const tagged = JSON.stringify(answers).replace(/"version":"\\"[^"]*\\""/g, '"version":"\\"wE4CtnrYvWqsiOSnzU7IHw\\""')
  return steadyAnswers(JSON.parse(tagged), started)
}

/** Sends the example of an operation, or what is made of it, with the secret of a key. */
export async function sendScimExample(
  baseUrl: string,
  key: Pick<InsertedApiKey, 'secret'>,
  operation: string,
  change: Change = {},
) {
  const route = scimRoutes.find((each) => each.operation === operation)
  const example = scimFragments.operations[operation]?.example
  const query = new URLSearchParams()
  let path = route?.path ?? ''
  for (const [name, value] of Object.entries({ ...example?.parameters, ...change.parameters })) {
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, encodeURIComponent(value))
    else query.set(name, value)
  }
  const authorization = 'authorization' in change ? change.authorization : `Bearer ${key.secret}`
  const json = change.body ?? example?.body
  const response = await fetch(`${baseUrl}/scim/v2${path}?${query.toString()}`, {
    method: route?.method ?? '',
    headers: {
      ...(json === undefined ? {} : { 'content-type': 'application/scim+json' }),
      ...(authorization === undefined ? {} : { authorization }),
      ...change.headers,
    },
    body: change.text ?? (json === undefined ? null : JSON.stringify(json)),
  })
  const text = await response.text()
  const body: Json = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, body }
}

function known(answers: Record<string, OperationAnswers>, operation: string): OperationAnswers {
  return answers[operation] ?? { errors: {} }
}

function keepFault(
  answers: Record<string, OperationAnswers>,
  operation: string,
  { status, body }: { readonly status: number; readonly body: Json },
): void {
  if (status < 400) throw new Error(`${operation} takes a request that it should refuse`)
  const before = known(answers, operation)
  const ofStatus = before.errors[status] ?? {}
  const name: string = body.scimType ?? names[status] ?? ''
  if (name === '') throw new Error(`${operation} answers ${status}, which has no name`)
  const errors = { ...before.errors, [status]: { ...ofStatus, [name]: ofStatus[name] ?? body } }
  answers[operation] = { ...before, errors }
}

/** The name of examples without a SCIM type. */
const names: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  409: 'conflict',
  412: 'preconditionFailed',
  413: 'tooLarge',
  415: 'unsupportedType',
  503: 'unavailable',
}
