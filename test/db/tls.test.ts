import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { configFromEnvironment } from '../../src/config.js'
import { connect } from '../../src/db/session.js'
import { sessionUrl } from '../../src/db/session-settings.js'
import { createCertificate } from '../support/certificate.js'
import { eventually } from '../support/eventually.js'
import { runSvc, startServe } from '../support/program.js'
import { startTlsPostgres, type TlsPostgres } from '../support/tls-postgres.js'

let server: TlsPostgres
beforeAll(async () => {
  server = await startTlsPostgres()
})
afterAll(() => server.remove())

const withQuery = (query: string) => `${server.url}?${query}`

/** `TLS` or `cleartext` if a session can begin, otherwise why it cannot. */
async function outcomeOf(url: string): Promise<string> {
  const { databaseUrl: connectionString = '' } = configFromEnvironment({ DATABASE_URL: url })
  try {
    const client = new pg.Client({ connectionString: sessionUrl({ connectionString }) })
    try {
      await connect(client)
      const { rows } = await client.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
      return rows[0]?.ssl === true ? 'TLS' : 'cleartext'
    } finally {
      await client.end()
    }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    if (text.includes('self-signed certificate: add sslrootcert=FILE')) return 'untrusted'
    if (text.includes("does not match certificate's altnames")) return 'another host'
    if (text.includes('does not support SSL')) return 'no TLS'
    if (text.includes('requires specifying a CA')) return 'no CA'
    return text
  }
}

const PSQL = 'uselibpqcompat=true&'
/**
 * What comes of each mode: if the certificate's authority is unknown, if `sslrootcert` names it, if the certificate is for
 * another host, and if the server speaks no TLS.
 */
const modes: readonly [query: string, unknown: string, named: string, otherHost: string, without: string][] = [
  ['', 'cleartext', 'TLS', 'another host', 'cleartext'],
  ['sslmode=disable', 'cleartext', 'cleartext', 'cleartext', 'cleartext'],
  ['sslmode=no-verify', 'TLS', 'TLS', 'TLS', 'no TLS'],
  ['sslmode=verify-full', 'untrusted', 'TLS', 'another host', 'no TLS'],
  ['sslmode=allow', 'untrusted', 'TLS', 'another host', 'no TLS'],
  ['sslmode=prefer', 'untrusted', 'TLS', 'another host', 'no TLS'],
  ['sslmode=require', 'untrusted', 'TLS', 'another host', 'no TLS'],
  ['sslmode=verify-ca', 'untrusted', 'TLS', 'another host', 'no TLS'],
  [`${PSQL}sslmode=disable`, 'cleartext', 'cleartext', 'cleartext', 'cleartext'],
  [`${PSQL}sslmode=prefer`, 'TLS', 'TLS', 'TLS', 'no TLS'],
  [`${PSQL}sslmode=require`, 'TLS', 'TLS', 'TLS', 'no TLS'],
  [`${PSQL}sslmode=verify-ca`, 'no CA', 'TLS', 'TLS', 'no CA'],
  [`${PSQL}sslmode=verify-full`, 'untrusted', 'TLS', 'another host', 'no TLS'],
]

describe('TLS to PostgreSQL', () => {
  it('behaves as the manual says in each mode', async () => {
    const columns: string[][] = [[], [], [], []]
    const ask = async (column: number, suffix: string) => {
      for (const [query] of modes) columns[column]?.push(await outcomeOf(withQuery(`${query}${suffix}`)))
    }
    const ca = `&sslrootcert=${encodeURIComponent(server.ca)}`
    await ask(0, '')
    await ask(1, ca)
    await server.show(createCertificate({ host: 'db.internal' }))
    await eventually(async () => expect(await outcomeOf(withQuery(`sslmode=verify-full${ca}`))).toBe('another host'))
    await ask(2, ca)
    await server.show('none')
    await eventually(async () => expect(await outcomeOf(withQuery('sslmode=no-verify'))).toBe('no TLS'))
    // Without a mode, an authority asks for TLS.
    await ask(3, '')
    await server.show(createCertificate())
    await eventually(async () => expect(await outcomeOf(withQuery('sslmode=no-verify'))).toBe('TLS'))
    expect(modes.map(([query], row) => [query, ...columns.map((column) => column[row])])).toEqual(modes)
  })

  it('is used for migrations, calls and readiness', async () => {
    const env = { DATABASE_URL: withQuery(`sslmode=verify-full&sslrootcert=${server.ca}`) }
    const service = await startServe(['--demo'], env)
    try {
      expect((await fetch(`${service.origin}/readyz`)).status).toBe(200)
      const { stdout } = await runSvc(['status', '--json'], { env })
      const { token }: { token: string } = JSON.parse(stdout)
      const answer = await fetch(`${service.origin}/v2/users`, { headers: { authorization: `Bearer ${token}` } })
      expect(answer.status).toBe(200)
    } finally {
      expect(await service.stop()).toBe(0)
    }
  })

  it('prints one line if a mode has a meaning other than its name', async () => {
    const env = { DATABASE_URL: withQuery(`sslmode=require&sslrootcert=${server.ca}`) }
    const { status, stderr } = await runSvc(['migrate'], { env })
    const lines = stderr.trimEnd().split('\n')
    expect([status, lines.length, JSON.parse(lines[0] ?? '').msg]).toEqual([
      0,
      1,
      'DATABASE_URL has sslmode=require, which means verify-full here: write sslmode=verify-full, ' +
        'or uselibpqcompat=true&sslmode=require for what psql means by it',
    ])
    const doctor = await runSvc(['doctor'], { env })
    expect(doctor.stdout).toContain('; DATABASE_URL has sslmode=require, which means verify-full here')
    expect(doctor.stderr).not.toContain('SECURITY WARNING')
  })

  it('explains how to trust an unknown authority', async () => {
    const { status, stderr } = await runSvc(['migrate'], { env: { DATABASE_URL: withQuery('sslmode=verify-full') } })
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/cannot connect to the database: self-signed certificate: add sslrootcert=FILE to its URL/),
    ])
  })
})
