import { randomUUID } from 'node:crypto'
import { chownSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../../harness/free-port.js'
import { removeEmbeddedPostgres } from '../../harness/remove-embedded-postgres.js'
import { scratchFolder } from '../../harness/scratch-folder.js'
import { prepareBinaries } from '../../src/db/embedded/binaries.js'
import { ensureCluster } from '../../src/db/embedded/cluster.js'
import { ensureSocketDirectory, resolvePlace } from '../../src/db/embedded/place.js'
import { spawnPostmaster } from '../../src/db/embedded/postmaster.js'
import { createCertificate, type TestCertificate } from './certificate.js'

/** A PostgreSQL server on a port of the loopback, with TLS. */
export interface TlsPostgres {
  /** Of the database `svc`, without tables. */
  readonly url: string
  /** The file of the certificate, which is self-signed: it is that of its authority too. */
  readonly ca: string
  /** Presents another certificate to new connections; with `none`, speaks no TLS. */
  show(certificate: TestCertificate | 'none'): Promise<void>
  /** Stops it and removes its data. */
  remove(): Promise<void>
}

const PATIENCE_MILLIS = 60_000

/** Starts the embedded PostgreSQL with a certificate for `localhost`. */
export async function startTlsPostgres(): Promise<TlsPostgres> {
  const directory = join(scratchFolder(), `svc-test-${process.pid}-${randomUUID()}`)
  const place = resolvePlace(directory)
  const binaries = prepareBinaries(place)
  await ensureCluster(place, binaries)
  ensureSocketDirectory(place)
  const [ca, keyFile] = [join(place.directory, 'ca.pem'), join(place.directory, 'server.key')]
  const write = ({ cert, key }: TestCertificate) => {
    writeFileSync(ca, cert, { mode: 0o644 })
    writeFileSync(keyFile, key, { mode: 0o600 })
    if (place.account !== undefined) chownSync(keyFile, place.account.uid, place.account.gid)
  }
  write(createCertificate())
  const port = await freePort()
  const server = spawnPostmaster(
    place,
    binaries,
    {
      listen_addresses: '127.0.0.1',
      port: `${port}`,
      fsync: 'off',
      ssl_cert_file: ca,
      ssl_key_file: keyFile,
    },
    undefined,
  )
  const sql = async (...texts: string[]) => {
    const client = new pg.Client({ connectionString: `postgresql://postgres@127.0.0.1:${port}/postgres` })
    await client.connect()
    try {
      for (const text of texts) await client.query(text)
    } finally {
      await client.end()
    }
  }
  const deadline = performance.now() + PATIENCE_MILLIS
  for (;;) {
    try {
      await sql('CREATE DATABASE svc TEMPLATE template0', 'ALTER SYSTEM SET ssl = on', 'SELECT pg_reload_conf()')
      break
    } catch (cause) {
      if (server.ended() || performance.now() > deadline) throw new Error(server.output(), { cause })
      await sleep(50)
    }
  }
  return {
    url: `postgresql://postgres@localhost:${port}/svc`,
    ca,
    show: async (certificate) => {
      if (certificate !== 'none') write(certificate)
      await sql(`ALTER SYSTEM SET ssl = ${certificate === 'none' ? 'off' : 'on'}`, 'SELECT pg_reload_conf()')
    },
    remove: async () => {
      await removeEmbeddedPostgres(directory)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
