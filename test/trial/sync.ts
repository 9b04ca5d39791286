import { randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import { createApiKeySecret } from '../../src/domain/auth/api-key-secret.js'
import { createSecretHasher } from '../../src/domain/auth/secret-hash.js'
import { execute, type Stage } from './stage.js'
import { allOf, atMost, type Finding, type Trial } from './trial.js'

const USERS = 10_000
const CHANGED = 1_000
/** Requests in flight at a time, as identity providers send them. */
const TOGETHER = 8

/** An identity provider adds all users of a company, sends all of them again, and then some that have changed. */
export const sync: Trial = { name: 'sync', onEachDatabase: true, run }

async function run(stage: Stage): Promise<readonly Finding[]> {
  const { connectionString } = stage
  const secret = await connectDirectory(connectionString)
  const { origin } = await stage.serve()
  const send = async (method: string, path: string, body: object) => {
    const response = await fetch(`${origin}/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, id: response.ok ? idIn(text) : '' }
  }
  const added = await forEach(USERS, (index) => send('POST', '/Users', userOf(index)))
  const ids = added.map(({ id }) => id)
  const before = await stateOf(connectionString)
  const repeated = await forEach(USERS, (index) => send('PUT', `/Users/${ids[index]}`, userOf(index)))
  const after = await stateOf(connectionString)
  const changed = await forEach(CHANGED, (index) =>
    send('PATCH', `/Users/${ids[index]}`, { Operations: [{ op: 'Replace', path: 'title', value: `New ${index}` }] }),
  )
  const end = await stateOf(connectionString)
  const answered = (answers: readonly { readonly status: number }[], status: number) =>
    answers.filter((answer) => answer.status === status).length
  return [
    allOf('users that a directory adds, 8 at a time: 201', answered(added, 201), USERS),
    allOf('all of them sent again: 200', answered(repeated, 200), USERS),
    atMost('all of them sent again: rows written', writesBetween(before, after), 0, ''),
    atMost('all of them sent again: audit events', after.events - before.events, 0, ''),
    allOf('changes of some of them: 200', answered(changed, 200), CHANGED),
    allOf('changes of some of them: rows written', writesBetween(after, end), CHANGED),
    allOf('changes of some of them: audit events', end.events - after.events, CHANGED),
  ]
}

async function connectDirectory(connectionString: string): Promise<string> {
  const secret = createApiKeySecret('mk', { randomBytes })
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(
      `INSERT INTO api_keys (id, organization_id, kind, secret_hash, permissions, chain_id)
       SELECT $1, id, 'mk', $2, '{}', $1 FROM organizations ORDER BY ordinal LIMIT 1`,
      [randomUUID(), createSecretHasher().hash(secret)],
    )
  } finally {
    await client.end()
  }
  return secret
}

function userOf(index: number): object {
  const userName = `person.${index}@directory.example`
  return {
    userName,
    externalId: `directory-${index}`,
    title: `Title ${index % 50}`,
    locale: 'en-GB',
    active: true,
    name: { givenName: `Given ${index}`, familyName: `Family ${index}` },
    emails: [{ value: userName, type: 'work', primary: true }],
    phoneNumbers: [{ value: `+1415${String(5_000_000 + index)}`, type: 'work' }],
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: `Department ${index % 20}` },
  }
}

function idIn(text: string): string {
  const body: unknown = JSON.parse(text)
  return typeof body === 'object' && body !== null && 'id' in body ? String(body.id) : ''
}

interface State {
  readonly events: number
  /** The versions of rows, by user. */
  readonly versions: ReadonlyMap<string, string>
}

async function stateOf(connectionString: string): Promise<State> {
  const [counted] = await execute(connectionString, `SELECT count(*)::int AS events FROM audit_events`)
  const rows = await execute(connectionString, `SELECT user_id, xmin::text AS version FROM memberships`)
  const versions = new Map(rows.map((row) => [String(row['user_id']), String(row['version'])]))
  return { events: Number(counted?.['events']), versions }
}

/** How many rows of members were written between two states. */
function writesBetween({ versions }: State, after: State): number {
  return [...after.versions].filter(([userId, version]) => versions.get(userId) !== version).length
}

async function forEach<Answer>(count: number, send: (index: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  let next = 0
  const work = async () => {
    for (let index = next++; index < count; index = next++) answers[index] = await send(index)
  }
  await Promise.all(Array.from({ length: TOGETHER }, work))
  return answers
}
