import { type EmbeddedServer, seed } from '../harness/database.js'
import { startPgBouncer } from '../harness/pgbouncer.js'
import { operationsSize } from '../harness/records.js'
import { roleSettings } from '../src/db/session-settings.js'
import { startServer } from './child.js'
import { compare, type Rounds } from './compare.js'
import { operations } from './operation-requests.js'
import type { Report } from './report.js'

/** What the REST operations lose without names of statements, and through PgBouncer besides. Needs PgBouncer. */
export async function benchStatementNames(
  server: EmbeddedServer,
  report: Report,
  rounds: Rounds,
  only?: string,
): Promise<void> {
  const connectionString = await server.createDatabase('statement_names')
  const tokens = await seed(connectionString, operationsSize)
  const pooler = await startPgBouncer({ adminUrl: connectionString, prepareRole: roleSettings })
  const pooled = new URL(`postgresql://svc@${pooler.host}:${pooler.port}`)
  pooled.pathname = new URL(connectionString).pathname
  const started = [
    await startServer('service', { connectionString }),
    await startServer('service', { connectionString, statementNames: false }),
    await startServer('service', { connectionString: pooled.href, statementNames: false, sessions: 'pooler' }),
  ]
  try {
    for (const { name, requests } of operations(tokens)) {
      if (only !== undefined && !name.includes(only)) continue
      const contestants = ['with names', 'without names', 'through PgBouncer'].flatMap((each, index) => {
        const contestant = started[index]
        return contestant === undefined ? [] : [{ name: each, server: contestant, requests }]
      })
      report.standings(`${name}, statements with and without names`, await compare(contestants, rounds))
    }
  } finally {
    for (const each of started) await each.stop()
    await pooler.stop()
  }
}
