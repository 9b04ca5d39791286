import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import type { Sql } from '../support/sql.js'
import { withDatabase } from './database.js'
import { absentIdLike, call, methodProtocols, requestThrough, scimRequest, withoutId } from './tenants/answers.js'
import { foreignKeys, foreignPlaces } from './tenants/foreign-ids.js'
import { scimPlaces } from './tenants/scim-ids.js'
import { measureTimes, SHORT } from './tenants/times.js'
import { allOf, type Finding, type Trial } from './trial.js'

/** Callers of one organization with ids of another, and callers of one team with those of another. */
export const tenants: Trial = {
  name: 'tenants',
  onEachDatabase: false,
  amount: { of: 'times of each kind', full: 1_200, short: 40 },
  run: async (stage, samples) =>
    withDatabase(stage.connectionString, async (database) => {
      await insertFixture(database)
      await insertKeys(database)
      const callers = await insertCallers(database)
      const directory = (await insertApiKey(database, { organizationId: fixture.acme, kind: 'mk' })).secret
      const { port } = await stage.serve()
      const before = await digestOf(database)
      return [
        await compareMethods(port, callers, samples < SHORT),
        await compareScim(port, directory),
        allOf('nothing of the other organization has changed', before === (await digestOf(database)) ? 1 : 0, 1),
        ...(await measureTimes({ port, callers, samples })),
      ]
    }),
}

/** Who calls. */
export interface Caller {
  readonly name: string
  /** Undefined without a credential. */
  readonly token: string | undefined
  /** Whether other teams of the organization are hidden from the caller. */
  readonly isOfTeam: boolean
}

/** Keys that are named in requests. */
async function insertKeys(sql: Sql): Promise<void> {
  const { acme, people, globex } = fixture
  await insertApiKey(sql, { organizationId: acme, id: foreignKeys.it, teamId: fixture.it })
  await insertApiKey(sql, { organizationId: acme, id: foreignKeys.people, teamId: people })
  await insertApiKey(sql, { organizationId: globex, id: foreignKeys.globex })
}

async function insertCallers(sql: Sql): Promise<Caller[]> {
  const { acme: organizationId, it: teamId, users } = fixture
  const callers: Caller[] = [{ name: 'nobody', token: undefined, isOfTeam: true }]
  for (const kind of ['pk', 'wk'] as const) {
    const ofAll = await insertApiKey(sql, { organizationId, kind })
    callers.push({ name: `${kind} of the organization`, token: ofAll.token, isOfTeam: false })
    const ofTeam = await insertApiKey(sql, { organizationId, teamId, kind })
    callers.push({ name: `${kind} of a team`, token: ofTeam.token, isOfTeam: true })
    const withNothing = await insertApiKey(sql, { organizationId, kind, permissions: [] })
    callers.push({ name: `${kind} without permissions`, token: withNothing.token, isOfTeam: true })
  }
  const people = ['admin', 'manager', 'builder', 'agent', 'contributor', 'viewer', 'guest', 'requester'] as const
  for (const name of people) {
    const token = await insertUserToken(sql, { userId: users[name] })
    callers.push({ name, token, isOfTeam: name !== 'admin' })
  }
  return callers
}

/** A short run takes the protocols in turn. */
async function compareMethods(port: number, callers: readonly Caller[], isShort: boolean): Promise<Finding> {
  let [compared, same] = [0, 0]
  for (const place of foreignPlaces) {
    for (const { name, token, isOfTeam } of callers) {
      const foreign = [place.otherOrganization, ...(isOfTeam && place.otherTeam !== undefined ? [place.otherTeam] : [])]
      for (const id of foreign) {
        const turn = compared % methodProtocols.length
        for (const protocol of isShort ? methodProtocols.slice(turn, turn + 1) : methodProtocols) {
          const [known, absent] = await Promise.all(
            [id, absentIdLike(id)].map(async (each) => {
              const request = requestThrough(protocol, place.method, place.request(each), token)
              return withoutId(await call(port, protocol, request), each)
            }),
          )
          compared++
          if (known === absent) same++
          else console.log(`  ${place.name}, ${id}, ${name}, ${protocol}:\n${known}\n${absent}`)
        }
      }
    }
  }
  return allOf('ids of others are answered as ids of nothing, every method, credential and protocol', same, compared)
}

async function compareScim(port: number, secret: string): Promise<Finding> {
  let same = 0
  for (const place of scimPlaces) {
    const absentId = absentIdLike(place.foreign)
    const known = withoutId(await call(port, 'SCIM', scimRequest(place, place.foreign, secret)), place.foreign)
    const absent = withoutId(await call(port, 'SCIM', scimRequest(place, absentId, secret)), absentId)
    if (known === absent) same++
    else console.log(`  ${place.name}:\n${known}\n${absent}`)
  }
  return allOf('ids of others are answered as ids of nothing, over SCIM', same, scimPlaces.length)
}

/** Everything that the other organization has, in one text. */
async function digestOf(sql: Sql): Promise<string> {
  const tables = await sql.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'organization_id' ORDER BY 1`,
  )
  const rows: string[] = []
  for (const { name } of tables) {
    const [row] = await sql.query<{ digest: string }>(
      `SELECT md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '')) AS digest
       FROM ${name} t WHERE organization_id = $1`,
      [fixture.globex],
    )
    rows.push(`${name} ${row?.digest}`)
  }
  return rows.join('\n')
}
