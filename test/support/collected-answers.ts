import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { schema } from '../../gen/prisma/schema.js'
import { createDatabase } from '../../src/db/database.js'
import { systemTiming } from '../../src/db/retries.js'
import type { ExampleAnswers, OperationAnswers } from '../../src/openapi/example-answers.js'
import { bodyExamples } from '../../src/openapi/fragments.js'
import { importRecords } from '../../src/transfer/import-records.js'
import { createTestDatabase, type TestDatabase } from './database.js'
import { startDatabaseProxy } from './database-proxy.js'
import {
  type DemoAnswer,
  type DemoCallers,
  type DemoRequest,
  type DocumentedOperation,
  exampleRequest,
  formContent,
  insertDemoCallers,
  jsonContent,
  sendDemoRequest,
} from './demo-requests.js'
import { type FaultyRequest, faultyRequests } from './faulty-requests.js'
import type { Json } from './json-schemas.js'
import { startTestService } from './service.js'
import { type Database, withSql } from './sql.js'

const requests = JSON.stringify(bodyExamples)
const root = join(import.meta.dirname, '../..')

/** The responses for the documents while they are being collected: the first error of each reason. */
type CollectedAnswers = Record<string, OperationAnswers>

/**
 * Sends the example of every operation to the demo organization, then with every fault, and then during outages, and
 * collects the responses of the service. `default` has the failures that any operation can have.
 */
export async function collectAnswers(operations: readonly DocumentedOperation[]): Promise<ExampleAnswers> {
  const started = Date.now()
  const testDatabase = await createTestDatabase()
  // Writes that lose are repeated without a pause.
  const database = testDatabase.open({ timing: { ...systemTiming, random: () => 0 } })
  const { runtime, close, baseUrl } = await startTestService({
    testDatabase: { ...testDatabase, open: () => database },
  })
  await importRecords(database, createReadStream(join(root, 'demo/organization.ndjson')), { runtime })
  const callers = await insertDemoCallers(database)
  const answers: CollectedAnswers = {}

  const ask = (operation: DocumentedOperation, change: Partial<DemoRequest> = {}, url = baseUrl) => {
    const example = exampleRequest(operation, callers)
    const parameters = { ...example.parameters, ...change.parameters }
    return sendDemoRequest(url, operation, { ...example, ...change, parameters })
  }
  for (const operation of operations) {
    for (const fault of generalFaults(operation, callers)) {
      const answer = await ask(operation, fault)
      // A caller without permissions may still read some things.
      if (answer.status !== 200) keep(answers, operation.id, answer)
    }
    const faults = [
      ...bodyFaults(operation),
      ...(faultyRequests[operation.id] ?? []),
      ...parameterFaults(operation),
      ...deletionFaults(operation, operations),
    ]
    for (const fault of faults.map(changeFrom)) {
      const answer = await ask(operation, fault)
      if (answer.status === 200) throw new Error(`${operation.id} takes ${JSON.stringify(fault)}`)
      keep(answers, operation.id, answer)
    }
  }
  const regainWrites = await loseEveryWrite(database)
  for (const operation of operations) {
    const answer = await ask(operation)
    if (answer.status === 409) keep(answers, operation.id, answer)
  }
  await regainWrites()
  for (const operation of operations) keep(answers, operation.id, await ask(operation))
  const revoke = operations.filter(({ id }) => id === 'revokeLeakedKey')
  for (const operation of revoke) {
    for (let call = 0; call < 6; call++) keep(answers, operation.id, await ask(operation))
  }
  for (const operation of operations.slice(0, 1)) {
    keep(answers, 'default', await ask(operation, { headers: { 'connect-timeout-ms': '0' } }))
  }
  await database.execute('ALTER TABLE access_policies RENAME TO somewhere_else')
  const failed = { headers: { 'x-request-id': '0198a1c0-7d00-7000-8000-00000000fa11' } }
  for (const operation of operations.slice(0, 1)) keep(answers, 'default', await ask(operation, failed))
  await close()
  await withoutDatabase(testDatabase, async (url) => {
    for (const operation of operations) keep(answers, operation.id, await ask(operation, {}, url))
  })
  await testDatabase.drop()
  return steadyAnswers(answers, started)
}

const EXAMPLE_CURSOR = Buffer.from('1 0198a1c0-7d00-7000-8000-000000000001').toString('base64url')

/**
 * Replaces what differs from run to run with constants: new ids, handles, tokens, tags, counts of events, and times since
 * the start, except those that requests name.
 */
export function steadyAnswers(answers: ExampleAnswers, started: number): ExampleAnswers {
  const ids = new Map<string, string>()
  const text = JSON.stringify(answers)
    .replace(/svc_token_[\w-]{43,}/g, `svc_token_${'0'.repeat(86)}`)
    .replace(/svc_secret_(\w\w)_\w{49}/g, `svc_secret_$1_${'0'.repeat(49)}`)
    .replace(/whsec_[\w+/]{43}=/g, `whsec_${'0'.repeat(43)}=`)
    .replace(/\b(ares|pri)_[0-9a-z]{16}\b/g, '$1_8k2m0q4t6w1x3z5b')
    .replace(/"nextCursor":"[\w-]+"/g, `"nextCursor":"${EXAMPLE_CURSOR}"`)
    .replace(/"hasMore":true/g, '"hasMore":false')
    .replace(/"replayed":[1-9]\d*/g, '"replayed":58')
    .replace(/try again in \d+ seconds/g, 'try again in 42 seconds')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) =>
      Date.parse(time) < started || requests.includes(time) ? time : '2026-01-31T09:05:00.000Z',
    )
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
      if (id.startsWith('0198a1c0-7d00-7000-8000')) return id
      const known = ids.get(id) ?? `0198a1c0-7d00-7000-9000-${String(ids.size + 1).padStart(12, '0')}`
      ids.set(id, known)
      return known
    })
  return JSON.parse(text)
}

function changeFrom({ parameters = {}, json, form }: FaultyRequest): Partial<DemoRequest> {
  if (json !== undefined) return { parameters, content: jsonContent(json) }
  return form === undefined ? { parameters } : { parameters, content: formContent(form) }
}

/** The faults that every operation refuses that looks at credentials or bodies. */
function generalFaults({ definition }: DocumentedOperation, { powerless }: DemoCallers): Partial<DemoRequest>[] {
  const { requestBody, security } = definition
  const secured = security.some((each: Json) => each.accessToken)
  const [type] = Object.keys(requestBody?.content ?? {})
  return [
    ...(secured ? [{ authorization: undefined }, { authorization: `Bearer svc_token_${'0'.repeat(86)}` }] : []),
    ...(secured ? powerless.map((token) => ({ authorization: `Bearer ${token}` })) : []),
    ...(type === undefined ? [] : [{ content: { type, text: ' '.repeat(5_000_000) } }]),
    ...(type === undefined ? [] : [{ content: { type: 'text/plain', text: 'x' } }]),
  ]
}

/** Bodies without a field that is required, with an empty text, and for an owner that does not exist. */
function bodyFaults({ body, definition }: DocumentedOperation): FaultyRequest[] {
  const { example } = definition.requestBody?.content['application/json'] ?? {}
  const [required]: string[] = body?.required ?? []
  const text = Object.keys(body?.properties ?? {}).find((name) => body.properties[name].minLength > 0)
  return [
    ...(required === undefined ? [] : [{ json: { ...example, [required]: undefined } }]),
    ...(required?.endsWith('Id') ? [{ json: { ...example, [required]: unknownFor(example[required]) } }] : []),
    ...(text === undefined ? [] : [{ json: { ...example, [text]: '' } }]),
  ]
}

/** Parameters that stand for pages, for an object, or for all that an operation takes. */
function parameterFaults({ definition }: DocumentedOperation): FaultyRequest[] {
  const examples = new Map<string, string>((definition.parameters ?? []).map((each: Json) => [each.name, each.example]))
  const id = examples.get('id')
  return [
    ...(examples.has('pageToken') ? [{ pageToken: 'changed' }, { pageSize: '-1' }] : []),
    ...(definition.requestBody === undefined ? [{ colour: 'red' }] : []),
    ...(id === undefined ? [] : [{ id: unknownFor(id) }]),
  ].map((parameters) => ({ parameters }))
}

/** The object in the example of Get, to which others refer if they can. */
function deletionFaults({ id, template }: DocumentedOperation, operations: readonly DocumentedOperation[]) {
  const tables: Readonly<Record<string, { readonly referrers: readonly string[] }>> = schema
  const { referrers = [] } = tables[id.replace(/^delete/, '')] ?? {}
  if (referrers.length === 0) return []
  const get = operations.find((each) => each.template === template && each.httpMethod === 'GET')
  const { example } = get?.definition.parameters.find((each: Json) => each.name === 'id') ?? {}
  return [{ parameters: { id: example } }]
}

/** An id like one of the demo organization, of nothing. */
function unknownFor(id: string): string {
  return id.replace(/_.*|....$/, (end) => (end.startsWith('_') ? '_unknown' : 'ffff'))
}

function keep(answers: CollectedAnswers, id: string, { status, body }: DemoAnswer): void {
  const known = answers[id] ?? { errors: {} }
  const errors = known.errors[status] ?? {}
  if (status !== 200) {
    const reason = reasonOf(body)
    answers[id] = { ...known, errors: { ...known.errors, [status]: { ...errors, [reason]: errors[reason] ?? body } } }
  } else if (body !== undefined) {
    answers[id] = { ...known, success: shortened(body) }
  }
}

/** A list is shown by its first item. */
function shortened(body: Json): Json {
  return Array.isArray(body.data) ? { ...body, data: body.data.slice(0, 1) } : body
}

function reasonOf({ code, error, detail }: Json): string {
  const { reason, fieldViolations } = detail?.debug ?? {}
  const name: string | undefined = reason ?? fieldViolations?.[0]?.reason
  return name?.replace('ERROR_REASON_', '') ?? String(error ?? code).toUpperCase()
}

/** Makes every write lose against endless others, until the returned function is called. */
async function loseEveryWrite(database: Database): Promise<() => Promise<unknown>> {
  await database.execute(`
    CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '40001'; END $$`)
  // A cluster has no triggers on a table that is on every node; no operation writes to signing_keys alone.
  const tables = await database.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables
      WHERE schemaname = 'public' AND tablename <> 'signing_keys'`,
  )
  const onEach = (statement: (name: string) => string) =>
    database.transaction(async (sql) => {
      await sql.execute('SET LOCAL citus.enable_unsafe_triggers = on')
      for (const { name } of tables) await sql.execute(statement(name))
    })
  await onEach(
    (name) =>
      `CREATE TRIGGER lose BEFORE INSERT OR UPDATE OR DELETE ON ${name} FOR EACH STATEMENT EXECUTE FUNCTION lose()`,
  )
  return () => onEach((name) => `DROP TRIGGER lose ON ${name}`)
}

/** A service whose database is down. */
async function withoutDatabase(testDatabase: TestDatabase, use: (baseUrl: string) => Promise<void>): Promise<void> {
  const proxy = await startDatabaseProxy(testDatabase.connectionString)
  const database = withSql(
    createDatabase({
      ...testDatabase.sessions,
      connectionString: proxy.connectionString,
      log: { warn: () => {} },
    }),
  )
  const service = await startTestService({ testDatabase: { ...testDatabase, open: () => database } })
  await proxy.cut()
  await use(service.baseUrl)
  await service.close()
  await database.close()
  await proxy.close()
}
