import { fromJson } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { ImportRecordSchema } from '../../gen/svc/v2/import_record_pb.js'
import { RecordOutcome, TransferService } from '../../gen/svc/v2/transfer_pb.js'
import { fixture, insertFixture, insertRow, insertUser, insertUserToken, shareUser } from '../support/fixture.js'
import { callMethod, protocols as methodProtocols, withQuery } from '../support/method-forms.js'
import { protocols, type RestAnswer, startTestService, type TestService } from '../support/service.js'
import { allRows } from './transfer-text.js'

const { acme, globex, users } = fixture

let service: TestService
let admin: string

beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  // Those of the fixture have no steps.
  await service.database.execute('DELETE FROM approval_procedures')
  admin = await insertUserToken(service.database, { userId: users.admin })
})
afterAll(() => service.stop())

type Records = readonly Record<string, Record<string, unknown>>[]

const send = (records: Records, { token = admin, isPlan = false } = {}): Promise<RestAnswer> =>
  service.rest('POST', `/v2/imports${isPlan ? '?validateOnly=true' : ''}`, { token, json: records })
const plan = async (records: Records, token = admin) => (await send(records, { token, isPlan: true })).json.data
/** What a plan says of a single record. */
const faultsOf = async (record: Records[number], token = admin): Promise<string[]> =>
  (await plan([record], token))[0].faults

const newTeam = (id: string, name = 'New') => ({ team: { id, organizationId: acme, name } })
const user = (id: string, fields: object = {}) => ({
  user: { id, organizationId: acme, email: `${id}@example.com`, ...fields },
})

const importMethod = {
  procedure: 'svc.v2.TransferService/ImportRecords',
  rest: ({ records, ...query }: Readonly<Record<string, unknown>>) => ({
    method: 'POST',
    path: withQuery('/v2/imports', query),
    json: records,
  }),
}

/** The exported record of an id. */
async function exported(kind: string, id: string): Promise<Record<string, unknown>> {
  const { text } = await service.rest('GET', '/v2/exports', { token: admin })
  const records = text
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line)[kind] ?? [])
  return records.find((record) => record.id === id)
}

describe('an import over the API', () => {
  it.each(methodProtocols)('reports what becomes of each record, over %s', async (protocol) => {
    const id = `team-of-${protocol.toLowerCase()}`
    const records = [newTeam(id), { priority: { id, teamId: id, priority: 'P1', name: 'First' } }]
    const call = async (request: object) =>
      (await callMethod(service, importMethod, { protocol, token: admin, request: { ...request } })).answer.json.data
    const line = (number: number, kind: string, outcome: string, changedFields: string[] = []) => {
      const skipped = { skippedPinnedFields: [], skippedDirectoryLockedFields: [] }
      return { line: number, kind, id, outcome: `RECORD_OUTCOME_${outcome}`, changedFields, faults: [], ...skipped }
    }
    const created = [line(1, 'team', 'CREATED'), line(2, 'priority', 'CREATED')]
    const before = await allRows(service.database)
    expect(await call({ records, validateOnly: true })).toEqual(created)
    expect(await allRows(service.database)).toEqual(before)
    expect(await call({ records })).toEqual(created)
    expect(await call({ records: [newTeam(id, 'Renamed'), records[1]] })).toEqual([
      line(1, 'team', 'UPDATED', ['name']),
      line(2, 'priority', 'UNCHANGED'),
    ])
  })

  it.each(methodProtocols)(
    "takes teams, users and groups that name no organization as the caller's, over %s",
    async (protocol) => {
      const id = `own-${protocol.toLowerCase()}`
      const records = [
        { group: { id, name: 'G', userIds: [id] } },
        { user: { id, email: `${id}@example.com`, teamRoles: [{ teamId: id, role: 'TEAM_USER_ROLE_AGENT' }] } },
        { team: { id, name: 'T' } },
      ]
      const { answer } = await callMethod(service, importMethod, { protocol, token: admin, request: { records } })
      const outcome = 'RECORD_OUTCOME_CREATED'
      expect(answer.json.data).toMatchObject(['group', 'user', 'team'].map((kind) => ({ kind, id, outcome })))
      for (const kind of ['group', 'user', 'team']) {
        expect(await exported(kind, id)).toMatchObject({ id, organizationId: acme })
      }
      const named = records.map((record) =>
        Object.entries(record).map(([kind, fields]) => [kind, { ...fields, organizationId: acme }]),
      )
      const again = await plan(named.map((entries) => Object.fromEntries(entries)))
      expect(again.map((result: { readonly outcome: string }) => result.outcome)).toEqual(
        Array(3).fill('RECORD_OUTCOME_UNCHANGED'),
      )
    },
  )

  it('takes newline-delimited JSON, and names the line of a mistake', async () => {
    const post = (body: string) =>
      service.rest('POST', '/v2/imports', { token: admin, body, headers: { 'content-type': 'application/x-ndjson' } })
    const text = [newTeam('team-1'), newTeam('team-2')].map((record) => `${JSON.stringify(record)}\r\n`).join('\n')
    expect((await post(text)).json.data).toHaveLength(2)
    for (const file of [`\ufeff${text}`, `\ufeff\r\n${text}`]) expect((await post(file)).json.data).toHaveLength(2)
    expect((await post(`${text}\ufeff${text}`)).json.message).toMatch(/^invalid JSON at line 4, column 1/)
    const messages: string[] = []
    for (const bad of ['{"team":{"id":"a"}', '{"team":{}} {}', '{"team":\n{}}', '{"team":{"colour":"red"}}', '']) {
      messages.push((await post(`${JSON.stringify(newTeam('team-1'))}\n${bad}`)).json.message)
    }
    expect(messages).toEqual([
      expect.stringContaining('invalid JSON at line 2, column 19'),
      'invalid JSON at line 2, column 13: expected the end of the line, found "{"',
      'invalid JSON at line 2, column 9: expected the end of the value on its line',
      expect.stringContaining('records[1].team.colour'),
      undefined,
    ])
  })

  it('is refused as a whole, naming each bad record with its line', async () => {
    const records = [
      newTeam('team-3'),
      user('new', { timezone: 'Mars/City' }),
      { priority: { id: 'p', teamId: 'team-none', priority: 'P1', name: 'P' } },
      newTeam('team-3'),
      { group: { id: 'g', organizationId: acme, name: 'G', userIds: ['new'] } },
    ]
    const before = await allRows(service.database)
    const faults = [
      'user.timezone: must be the IANA name of a time zone, such as Europe/Paris',
      'priority.teamId: there is no team team-none',
      'team.id: repeats the record of line 1',
      'group.userIds[0]: there is no user new in the organization',
    ]
    const planned: { outcome: string; faults: string[] }[] = await plan(records)
    expect(planned.map(({ outcome }) => outcome)).toEqual([
      'RECORD_OUTCOME_CREATED',
      ...faults.map(() => 'RECORD_OUTCOME_REFUSED'),
    ])
    expect(planned.flatMap((each) => each.faults)).toEqual(faults)
    const { status, json } = await send(records)
    expect([status, json.code]).toEqual([400, 'invalid_argument'])
    expect(json.message).toBe(
      faults.map((fault, index) => `records[${index + 1}].${fault} (line ${index + 2})`).join('; '),
    )
    expect(await allRows(service.database)).toEqual(before)
  })

  it('takes 1 to 1,000 records', async () => {
    for (const records of [[], Array.from({ length: 1_001 }, (_, index) => newTeam(`team-${index}`))]) {
      const { status, json } = await send(records)
      expect([status, json.detail.debug.fieldViolations[0].reason]).toEqual([
        400,
        'ERROR_REASON_BATCH_SIZE_OUT_OF_RANGE',
      ])
    }
  })

  it('is in the audit log, by its caller', async () => {
    const before = await exported('user', users.agent)
    const record = { ...before, jobTitle: 'Agent' }
    expect((await send([{ user: record }, newTeam('team-4')])).status).toBe(200)
    const events = await service.database.query(
      `SELECT action, target_id, actor_id, changed_fields FROM audit_events ORDER BY occurred_at DESC, id DESC LIMIT 2`,
    )
    expect(events).toEqual([
      { action: 'organization.import', target_id: acme, actor_id: users.admin, changed_fields: ['team', 'user'] },
      { action: 'user.import', target_id: users.agent, actor_id: users.admin, changed_fields: ['jobTitle'] },
    ])
  })
})

describe('an import cannot reach another organization', () => {
  const notOurs = `must be ${acme}: other organizations are out of reach`

  it.each<[string, Records[number], string]>([
    ['itself', { organization: { id: globex, name: 'Ours' } }, `organization.id: ${notOurs}`],
    [
      'its teams',
      { team: { id: fixture.globexIt, organizationId: globex, name: 'Ours' } },
      `team.organizationId: ${notOurs}`,
    ],
    [
      'its users',
      { user: { id: users.globexAdmin, organizationId: globex, email: 'mine@example.com' } },
      `user.organizationId: ${notOurs}`,
    ],
    [
      'its groups',
      { group: { id: fixture.groups.globex, organizationId: globex, name: 'Ours' } },
      `group.organizationId: ${notOurs}`,
    ],
    [
      'its people, as members of this one',
      { user: { id: users.globexAdmin, organizationId: acme, email: 'mine@example.com' } },
      'user.id: is not available: choose another one',
    ],
    [
      'what belongs to its teams',
      { priority: { id: 'p', teamId: fixture.globexIt, priority: 'P1', name: 'P' } },
      `priority.teamId: there is no team ${fixture.globexIt}`,
    ],
    [
      'its people, as managers',
      user('new', { managerUserId: users.globexAdmin }),
      'user.managerUserId: no such user in the organization: send the id of one of its users',
    ],
    [
      'its teams, as roles',
      user('new', { teamRoles: [{ teamId: fixture.globexIt, role: 'TEAM_USER_ROLE_VIEWER' }] }),
      `user.teamRoles[0].teamId: there is no team ${fixture.globexIt} in the organization`,
    ],
  ])('%s', async (_, record, fault) => {
    const before = await allRows(service.database)
    expect(await faultsOf(record)).toEqual([fault])
    expect((await send([record])).status).toBe(400)
    expect(await allRows(service.database)).toEqual(before)
  })

  it('by a line that names it', async () => {
    const record = { priority: { id: 'p', teamId: fixture.globexIt, priority: 'P1', name: 'P' } }
    const [planned] = await plan([{ organizationId: globex, ...record } as never])
    expect(planned.faults).toEqual([`organizationId: ${notOurs}`])
  })

  it('through objects of the same id, of which each organization has its own', async () => {
    await insertRow(service.database, 'teams', { id: 'same', organization_id: globex, name: 'Theirs' })
    expect(
      (await send([newTeam('same', 'Ours'), { priority: { id: 'same', teamId: 'same', priority: 'P1', name: 'P' } }]))
        .status,
    ).toBe(200)
    const teams = await service.database.query(
      `SELECT organization_id, name FROM teams WHERE id = 'same' ORDER BY name`,
    )
    expect(teams).toEqual([
      { organization_id: acme, name: 'Ours' },
      { organization_id: globex, name: 'Theirs' },
    ])
    const { text } = await service.rest('GET', '/v2/exports', { token: admin })
    expect(text).toContain('"Ours"')
    expect(text).not.toContain(globex)
    expect(text).not.toContain('"Theirs"')
  })

  it('through people whom both have, whose address stays', async () => {
    await insertUser(service.database, { id: 'shared', organizationId: acme })
    const email = 'shared@example.com'
    await shareUser(service.database, 'shared', globex)
    expect((await send([user('shared', { email, firstName: 'Mia' })])).status).toBe(200)
    expect(await faultsOf(user('shared', { email: 'mine@example.com' }))).toEqual([
      expect.stringMatching(/^user\.email: the user belongs to several organizations/),
    ])
    // Case does not count.
    const [result] = await plan([user('shared', { email: email.toUpperCase() })])
    expect([result.outcome, result.faults]).toEqual(['RECORD_OUTCOME_UNCHANGED', []])
  })
})

describe('an export over the API', () => {
  it('has the whole organization in records that change nothing when imported, and nothing else', async () => {
    const { text, headers } = await service.rest('GET', '/v2/exports', { token: admin })
    expect(headers.get('content-type')).toBe('application/x-ndjson')
    const records: Records = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const planned: { outcome: string; faults: string[] }[] = await plan(records)
    expect(planned.filter(({ outcome }) => outcome !== 'RECORD_OUTCOME_UNCHANGED')).toEqual([])
    expect(planned).toHaveLength(records.length)
    for (const theirs of ['globex', 'Theirs']) expect(text).not.toContain(theirs)
  })

  it.each(protocols)('is a stream of the same records by %s, which an import accepts', async (protocol) => {
    const { text } = await service.rest('GET', '/v2/exports', { token: admin })
    const expected = text
      .trim()
      .split('\n')
      .map((line) => fromJson(ImportRecordSchema, JSON.parse(line)))
    const client = service.client(TransferService, admin, protocol)
    const records = []
    for await (const record of client.exportRecords({})) records.push(record)
    expect(records).toEqual(expected)
    const { data } = await client.importRecords({ records, validateOnly: true })
    expect(new Set(data.map(({ outcome }) => outcome))).toEqual(new Set([RecordOutcome.UNCHANGED]))
    await expect(client.importRecords({})).rejects.toMatchObject({ code: Code.InvalidArgument })
  })

  it('that its client leaves gives its connection back', async () => {
    for (let round = 0; round < 8; round++) {
      const abandoned = new AbortController()
      const headers = { authorization: `Bearer ${admin}` }
      const { body } = await fetch(`${service.baseUrl}/v2/exports`, { headers, signal: abandoned.signal })
      await body?.getReader().read()
      abandoned.abort()
    }
    expect((await service.rest('GET', '/v2/exports', { token: admin })).status).toBe(200)
  })
})
