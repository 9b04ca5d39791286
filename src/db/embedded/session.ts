import type pg from 'pg'
import { createSession, type SessionConfig } from '../session.js'

/** First half of the keys of the advisory locks below; the second half says which. */
const LOCK_CLASS = 0x737663
/** Locked in shared mode by every process that uses the server; who locks it exclusively may stop the server. */
const USE = 1
/** Locked by the one process that serves from this server. */
const SERVE = 2
/** Locked by the session that waits for the last user to vanish. */
const WATCH = 3

const WATCH_SECONDS = 2

const HOLDER = `(SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND classid = $1 AND objid = $2)`

/** The session by which a process shows the embedded server that it uses it. */
export type UseSession = Awaited<ReturnType<typeof openUseSession>>

/** A superuser's session. Its settings are explicit, because pg reads PGPORT and the like. */
export function adminSession(socketDirectory: string, name = `svc ${process.pid}`): SessionConfig {
  return {
    host: socketDirectory,
    port: 5432,
    user: 'postgres',
    password: '',
    database: 'postgres',
    ssl: false,
    application_name: name,
    connectionTimeoutMillis: 5_000,
    options: '',
  }
}

/** Joins the server as one of its users. Throws if it does not accept sessions or is just stopping. */
export async function openUseSession(socketDirectory: string, postmasterPid: number) {
  const client = createSession(adminSession(socketDirectory))
  const ended = new Promise<void>((resolve) => {
    client.once('end', resolve)
  })
  await client.connect()
  let watch: pg.Client
  try {
    await client.query('SELECT pg_advisory_lock_shared($1, $2)', [LOCK_CLASS, USE])
    watch = await openWatch(socketDirectory, postmasterPid)
  } catch (error) {
    await client.end()
    throw error
  }
  const ask = async (expression: string, key: number) =>
    (await client.query<{ answer: boolean | string }>(`SELECT ${expression} AS answer`, [LOCK_CLASS, key])).rows[0]
      ?.answer
  return {
    /** Settles when the session has ended, on purpose or not. */
    ended,
    /** Tries to become the process that serves; false if another one does. */
    tryServe: async () => (await ask('pg_try_advisory_lock($1, $2)', SERVE)) === true,
    /** Name of the process that serves, if the server knows it. */
    serving: () => ask(HOLDER, SERVE),
    /** Stops using the server; true if no other process uses it, and then none can join it any more. */
    leave: async (): Promise<boolean> => {
      try {
        await ask('pg_advisory_unlock_shared($1, $2)', USE)
        // Not earlier: if several leave at once, exactly the last one gets the lock.
        const last = (await ask('pg_try_advisory_lock($1, $2)', USE)) === true
        if (!last) await client.end()
        return last
      } catch {
        return false // The session is lost: the server has ended, or its watch will stop it.
      } finally {
        await watch.end()
      }
    },
  }
}

/**
 * Leaves a session behind that stops the server once no process uses it, which a killed process cannot do itself. It
 * runs inside the server, without a process of ours; one is enough, and a second one ends at once. Ending the client
 * leaves the session there if it is the one that watches.
 */
async function openWatch(socketDirectory: string, postmasterPid: number): Promise<pg.Client> {
  const client = createSession(adminSession(socketDirectory, 'svc watch'))
  await client.connect()
  // Ends when another session watches, the server has ended, or this process leaves and the session remains.
  const end = () => client.end()
  client
    .query(
      `DO $$
       BEGIN
         IF NOT pg_try_advisory_lock(${LOCK_CLASS}, ${WATCH}) THEN
           RETURN;
         END IF;
         LOOP
           COMMIT; -- a snapshot that is kept would hold back vacuum
           PERFORM pg_sleep(${WATCH_SECONDS});
           IF pg_try_advisory_lock(${LOCK_CLASS}, ${USE}) THEN
             COPY (SELECT WHERE false) TO PROGRAM 'kill -INT ${postmasterPid}';
             PERFORM pg_sleep(60);
           END IF;
         END LOOP;
       END $$`,
    )
    .then(end, end)
  return client
}
