import { fixture, insertApiKey, insertUserToken } from '../../support/fixture.js'
import type { Sql } from '../../support/sql.js'
import type { Credentials } from './headers.js'

/** Makes the credentials of the callers, in a database that has the fixture. */
export async function insertCredentials(sql: Sql): Promise<Credentials> {
  const organizationId = fixture.acme
  return {
    key: (await insertApiKey(sql, { organizationId })).token,
    teamKey: (await insertApiKey(sql, { organizationId, teamId: fixture.it })).token,
    worker: (await insertApiKey(sql, { organizationId, kind: 'wk' })).token,
    admin: await insertUserToken(sql, { userId: fixture.users.admin }),
    member: await insertUserToken(sql, { userId: fixture.users.requester }),
    directory: (await insertApiKey(sql, { organizationId, kind: 'mk' })).secret,
  }
}

/** Removes what the requests of a long run would fill the database with. */
export async function tidy(sql: Sql): Promise<void> {
  for (const table of ['audit_events', 'idempotency_keys', 'approval_procedures'])
    await sql.execute(`DELETE FROM ${table}`)
  await sql.execute('DELETE FROM groups WHERE id <> ALL($1)', [Object.values(fixture.groups)])
}
