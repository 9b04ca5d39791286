import pg from 'pg'
import type { ServerProcess } from './child.js'
import type { Operation } from './operation-requests.js'
import { createSerials, withSerial } from './serial.js'

/** Makes a check that servers on databases with equal content give equal answers, and record equal audit events. */
export async function openSameAnswerCheck(connectionStrings: readonly string[]) {
  const clients = connectionStrings.map((connectionString) => new pg.Client({ connectionString }))
  for (const client of clients) await client.connect()
  const nextSerial = createSerials()
  return {
    /** Throws if the answers or the audit events differ, apart from ids and times that are made for each call. */
    requireSame: async (
      { name, requests, checked = requests.slice(0, 1), before }: Operation,
      servers: readonly ServerProcess[],
    ): Promise<void> => {
      const seen: string[] = []
      for (const [index, { port }] of servers.entries()) {
        if (before !== undefined) await sendText(port, withSerial(before, nextSerial()))
        const serial = nextSerial()
        const { status, body, requestId } = await sendText(
          port,
          withSerial(checked[index % checked.length] ?? '', serial),
        )
        if (status !== 200) throw new Error(`${name} answered ${status}: ${body}`)
        const events = `SELECT actor_kind, actor_id, actor_name, action, target_type, target_id, team_id, changes
             FROM audit_events WHERE request_id = $1 ORDER BY id`
        const found = await Promise.all(clients.map((client) => client.query(events, [requestId])))
        const rows = found.flatMap((each) => each.rows)
        const answer: unknown = body === '' ? '' : JSON.parse(body)
        seen.push(withoutWhatIsNew(canonical({ answer, events: rows }), serial))
      }
      const [first = '', ...others] = seen
      for (const other of others) if (other !== first) throw new Error(`${name}: ${difference(first, other)}`)
    },
    close: async () => {
      for (const client of clients) await client.end()
    },
  }
}

/** Sends a request that is given as text. */
export async function sendText(port: number, request: string) {
  const [head = '', body = ''] = request.split('\r\n\r\n')
  const [line = '', ...headerLines] = head.split('\r\n')
  const [method = '', path = ''] = line.split(' ')
  const headers = headerLines
    .map((each) => each.split(': '))
    .filter(([header]) => !['host', 'content-length'].includes(header ?? ''))
  const init = { method, headers: Object.fromEntries(headers), body: body === '' ? null : body }
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, init)
  return { status: answer.status, body: await answer.text(), requestId: answer.headers.get('x-request-id') }
}

/** JSON with the keys of every object in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}

/** The two texts from shortly before the first character in which they differ. */
function difference(one: string, other: string): string {
  let start = 0
  while (one[start] === other[start]) start++
  start = Math.max(0, start - 200)
  const part = (text: string) => text.slice(start, start + 600)
  return `the answers differ:\n… ${part(one)}\n… ${part(other)}`
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
const HOUR_MILLIS = 3_600_000

/** The text without the serial, with ids numbered as they come, and without times of the last hour. */
function withoutWhatIsNew(text: string, serial: string): string {
  const ids: string[] = []
  return text
    .replaceAll(serial, 'serial')
    .replaceAll(uuid, (id) => {
      if (!ids.includes(id)) ids.push(id)
      return `id ${ids.indexOf(id)}`
    })
    .replaceAll(time, (each) => (Date.now() - Date.parse(each) < HOUR_MILLIS ? 'now' : each))
}
