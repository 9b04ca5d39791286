import { randomInt, randomUUID } from 'node:crypto'
import type { Sql } from '../../src/db/sql.js'
import { fixture, insertApiKey, insertFixture, insertRow, insertUserToken } from '../../test/support/fixture.js'
import { withDatabase } from '../database.js'
import { allOf, type Finding, type Trial } from './trial.js'

const { acme, it, priorities, users } = fixture
/** What each list has at most when a walk begins. */
const ROWS = 80
/** Writers beside each walk, and what each adds at most. */
const WRITERS = 3
const ADDED = 20

/** Walks through every paged list while rows are added and removed. */
export const pages: Trial = {
  name: 'pages',
  onEachDatabase: true,
  limitMillis: 900_000,
  amount: { of: 'walks through each list', full: 300, short: 2 },
  run: async (stage, walks) =>
    withDatabase(stage.connectionString, async (sql) => {
      await insertFixture(sql)
      const { origin } = await stage.serve()
      const clients = {
        api: clientOf(origin, await insertUserToken(sql, { userId: users.admin })),
        scim: clientOf(`${origin}/scim/v2`, (await insertApiKey(sql, { organizationId: acme, kind: 'mk' })).secret),
      }
      const findings: Finding[] = []
      for (const list of listsOf(sql, clients)) {
        for (let index = 0; index < ROWS; index++) await list.add()
        let exact = 0
        for (let walk = 0; walk < walks; walk++) exact += (await walkBeside(list)) ? 1 : 0
        findings.push(allOf(`${list.name}: nothing that is there throughout is missed or doubled`, exact, walks))
      }
      return findings
    }),
}

/** A list, and what changes it. */
interface PagedList {
  readonly name: string
  add(): Promise<void>
  remove(id: string): Promise<void>
  /** Whether rows are removed during walks too, not only between them. */
  readonly isRemovedFrom: boolean
  /** The ids that the list has. */
  ids(): Promise<string[]>
  /** The ids of all pages, in the order in which they come. */
  walk(pageSize: number): Promise<string[]>
}

/** Sends requests with a credential. Throws for any failure but 404, which a removal of the same row leads to. */
type Send = (method: string, path: string, body?: object) => Promise<Answer>

// biome-ignore lint/suspicious/noExplicitAny: the parts of answers that are read have no common type.
type Answer = any

function clientOf(origin: string, token: string): Send {
  return async (method, path, body) => {
    const response = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok && response.status !== 404) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}

function listsOf(sql: Sql, { api, scim }: { readonly api: Send; readonly scim: Send }): PagedList[] {
  const people = {
    add: async () => {
      await api('POST', '/v2/users', { email: `${randomUUID()}@example.com` })
    },
    remove: async (id: string) => {
      if (id !== users.admin) await scim('DELETE', `/Users/${id}`)
    },
    ids: () =>
      idsIn(sql, 'SELECT user_id AS id FROM memberships WHERE organization_id = $1 AND deactivated_at IS NULL'),
  }
  const groups = {
    add: async () => {
      await scim('POST', '/Groups', {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
        displayName: randomUUID(),
      })
    },
    remove: async (id: string) => {
      await scim('DELETE', `/Groups/${id}`)
    },
    isRemovedFrom: false,
    ids: () => idsIn(sql, 'SELECT id FROM groups WHERE organization_id = $1'),
  }
  return [
    // First, because the others add events.
    {
      name: 'ListAuditEvents',
      add: async () => {
        await api('PATCH', `/v2/priorities/${priorities.it}`, { description: randomUUID() })
      },
      remove: async (id) => {
        await sql.execute('DELETE FROM audit_events WHERE id::text = $1', [id])
      },
      isRemovedFrom: true,
      ids: () => idsIn(sql, 'SELECT id::text AS id FROM audit_events WHERE organization_id = $1'),
      walk: (size) => walkTokens(api, '/v2/audit-events?', size),
    },
    {
      name: 'ListUsers',
      ...people,
      isRemovedFrom: true,
      walk: (size) => walkTokens(api, '/v2/users?', size),
    },
    {
      name: 'ListAppInstances',
      add: () => insertRow(sql, 'app_instances', { id: randomUUID(), organization_id: acme, team_id: it, name: 'App' }),
      remove: async (id) => {
        await sql.execute('DELETE FROM app_instances WHERE id = $1 AND name = $2', [id, 'App'])
      },
      isRemovedFrom: true,
      ids: () => idsIn(sql, 'SELECT id FROM app_instances WHERE organization_id = $1 AND name = $2', 'App'),
      walk: (size) => walkTokens(api, `/v2/app-instances?teamId=${it}&`, size),
    },
    // A position is not a key: rows removed before it move the others.
    {
      name: 'Users of SCIM, rows added',
      ...people,
      isRemovedFrom: false,
      ids: () => scimIds(sql),
      walk: (size) => walkPositions(scim, '/Users', size),
    },
    { name: 'Groups of SCIM, rows added', ...groups, walk: (size) => walkPositions(scim, '/Groups', size) },
  ]
}

/** Walks once beside writers. Whether it met everything that was there throughout once, and nothing twice. */
async function walkBeside(list: PagedList): Promise<boolean> {
  for (const id of (await list.ids()).slice(ROWS)) await list.remove(id)
  const before = await list.ids()
  const removed = new Set<string>()
  const end = { isReached: false }
  const writers = Array.from({ length: WRITERS }, async () => {
    for (let added = 0; added < ADDED && !end.isReached; added++) {
      await list.add()
      const id = before[randomInt(before.length)]
      if (!list.isRemovedFrom || id === undefined || removed.has(id)) continue
      removed.add(id)
      await list.remove(id)
    }
  })
  const met = await list.walk(1 + randomInt(9)).finally(() => {
    end.isReached = true
  })
  await Promise.all(writers)
  const distinct = new Set(met)
  const missed = before.filter((id) => !removed.has(id) && !distinct.has(id))
  // Two rows that are added at once can change places until both are there: positions show that, keys do not.
  const counted = new Set(list.isRemovedFrom ? met : before)
  const doubled = met.filter((id, index) => counted.has(id) && met.indexOf(id) !== index)
  if (missed.length === 0 && doubled.length === 0) return true
  console.log(`  ${list.name}: missed ${someOf(missed)}; doubled ${someOf(doubled)}`)
  return false
}

/** How many there are, and the first of them. */
function someOf(ids: readonly string[]): string {
  return `${ids.length} (${ids.slice(0, 5).join(' ')})`
}

async function walkTokens(send: Send, path: string, size: number): Promise<string[]> {
  const ids: string[] = []
  let token = ''
  do {
    const { data, nextPageToken } = await send('GET', `${path}pageSize=${size}&pageToken=${encodeURIComponent(token)}`)
    ids.push(...data.map(({ id }: { readonly id: string }) => id))
    token = nextPageToken
  } while (token !== '' && ids.length < 50 * ROWS)
  return ids
}

async function walkPositions(send: Send, path: string, size: number): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const { Resources = [] } = await send('GET', `${path}?startIndex=${ids.length + 1}&count=${size}&attributes=id`)
    if (Resources.length === 0 || ids.length > 50 * ROWS) return ids
    ids.push(...Resources.map(({ id }: { readonly id: string }) => id))
  }
}

async function scimIds(sql: Sql): Promise<string[]> {
  return idsIn(sql, 'SELECT user_id AS id FROM memberships WHERE organization_id = $1 AND directory_deleted_at IS NULL')
}

async function idsIn(sql: Sql, query: string, ...values: readonly string[]): Promise<string[]> {
  return (await sql.query<{ id: string }>(query, [acme, ...values])).map(({ id }) => id)
}
