// A process that uses the embedded PostgreSQL of the folder in its argument, for tests that kill it. Runs the built code.
// Says what it has over IPC: first its handle, then the number of every row that the server has acknowledged.
import pg from 'pg'
import { startEmbeddedPostgres } from '../../dist/src/db/embedded/embedded-postgres.js'

const [dataDir, task] = process.argv.slice(2)
const embedded = await startEmbeddedPostgres({ dataDir })
if (task === 'serve') await embedded.lockServe()
process.send({ connectionString: embedded.connectionString, adopted: embedded.adopted })
process.on('message', () => {
  void embedded.stop().then(() => process.disconnect())
})
if (task === 'write') {
  const client = new pg.Client({ connectionString: embedded.connectionString })
  await client.connect()
  await client.query('CREATE TABLE IF NOT EXISTS written (n bigint PRIMARY KEY)')
  for (let n = Date.now() * 1_000; ; n++) {
    await client.query('INSERT INTO written VALUES ($1)', [n])
    process.send({ written: n })
  }
}
