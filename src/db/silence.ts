import { Socket } from 'node:net'
import type pg from 'pg'

/** How often a silent connection is checked. */
const LOOK_MILLIS = 1_000

/**
 * Watches a connection, and destroys it if it owes a response and stays silent for that long: a working server ends
 * slow statements by itself and reports it. Whoever waits on it fails with `ETIMEDOUT`. The returned function gives for
 * how many milliseconds it has owed a response in silence, to the second; 0 if it owes none.
 */
export function watchSilence(client: pg.Client, maxSilenceMillis: number): () => number {
  const { stream } = client.connection
  if (!(stream instanceof Socket)) throw new Error('the database connection is not a socket')
  /** What had been sent and received when the last response was complete, or when silence was last looked at. */
  let answered = stream.bytesWritten
  let heard = stream.bytesRead
  let silentMillis = 0
  client.on('drain', () => {
    answered = stream.bytesWritten
    silentMillis = 0
  })
  // Fires if nothing was sent or received for that time, even if nothing is owed.
  stream.setTimeout(LOOK_MILLIS).on('timeout', () => {
    if (stream.bytesWritten === answered) return
    silentMillis = stream.bytesRead === heard ? silentMillis + LOOK_MILLIS : LOOK_MILLIS
    heard = stream.bytesRead
    if (silentMillis < maxSilenceMillis) stream.setTimeout(LOOK_MILLIS)
    else {
      const error = new Error(`the database connection was silent for ${silentMillis} ms`)
      stream.destroy(Object.assign(error, { code: 'ETIMEDOUT', syscall: 'read' }))
    }
  })
  return () => (stream.bytesWritten === answered ? 0 : silentMillis)
}
