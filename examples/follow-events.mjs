// A program follows the events of an organization, from where it was when it last ran: SVC_URL, SVC_CLIENT_ID,
// SVC_CLIENT_SECRET and SVC_CURSOR_FILE in the environment.
import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Code, ConnectError, createClient } from '@svc-admin/client'
import { reportInOneLine } from './report.mjs'
import { settingsFrom } from './settings.mjs'

reportInOneLine()
const [baseUrl, clientId, clientSecret, cursorFile] = settingsFrom(
  'SVC_URL',
  'SVC_CLIENT_ID',
  'SVC_CLIENT_SECRET',
  'SVC_CURSOR_FILE',
)
const svc = createClient({ baseUrl, credentials: { clientId, clientSecret } })
const final = [Code.InvalidArgument, Code.OutOfRange, Code.PermissionDenied, Code.Unauthenticated]

let cursor = existsSync(cursorFile) ? await readFile(cursorFile, 'utf8') : ''
for (;;) {
  try {
    for await (const { data, nextCursor } of svc.events.watchEvents({ cursor })) {
      for (const { position, type, subject } of data) console.log(`${position} ${type} ${subject.id}`)
      cursor = nextCursor
      // Whatever ends the program, the file has one cursor or the other.
      await writeFile(`${cursorFile}.new`, cursor)
      await rename(`${cursorFile}.new`, cursorFile)
    }
  } catch (error) {
    if (final.includes(ConnectError.from(error).code)) throw error
    await sleep(1_000)
  }
}
