import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type FieldOwner, type GovernedField, governedFields } from '../../src/domain/profile/field-ownership.js'
import { lockMemberRows } from '../../src/store/member.js'
import { ownedPlaces } from '../../src/store/owned-column.js'
import { writeDirectoryUser } from '../support/directory.js'
import { fixture, insertApiKey, insertFixture, insertUser, insertUserToken } from '../support/fixture.js'
import { createOwnershipModel, type ModelStep } from '../support/ownership-model.js'
import {
  type ApiWriter,
  apiWriters,
  commandLineWrites,
  creationOf,
  givenValues,
  type Situation,
  sourceProfileOf,
  states,
  type Values,
  type Write,
} from '../support/ownership-writers.js'
import { createTestRuntime } from '../support/runtime.js'
import { type RestAnswer, startTestService, type TestService } from '../support/service.js'
import { importLines } from '../transfer/transfer-text.js'

const { acme, users } = fixture
const start = new Date(0)

let service: TestService
const credentials = new Map<string, string>()

beforeAll(async () => {
  service = await startTestService()
  const { database } = service
  await insertFixture(database)
  credentials.set('user token', await insertUserToken(database, { userId: users.admin }))
  credentials.set('api key', (await insertApiKey(database, { organizationId: acme })).token)
  credentials.set('worker', (await insertApiKey(database, { organizationId: acme, kind: 'wk' })).token)
  credentials.set('team key', (await insertApiKey(database, { organizationId: acme, teamId: fixture.it })).token)
})
afterAll(() => service.stop())

let serial = 0
const numberOf = (id: number) => `+1415555${String(id).padStart(4, '0')}`

/** Two values of every field: the current one of a member, and another one. */
function valuesOf(number: number): Readonly<Record<'current' | 'other', Values>> {
  const each = (first: boolean): Readonly<Record<GovernedField, string>> => ({
    FIRST_NAME: first ? 'Ada' : 'Grace',
    LAST_NAME: first ? 'Lovelace' : 'Hopper',
    AVATAR_URL: `https://x.example/${first ? 'a' : 'b'}`,
    TIMEZONE: first ? 'Europe/London' : 'America/New_York',
    LOCALE: first ? 'en-GB' : 'en-US',
    DEPARTMENT: first ? 'Research' : 'Navy',
    JOB_TITLE: first ? 'Analyst' : 'Admiral',
    MANAGER: first ? users.manager : users.builder,
    PRIMARY_PHONE: numberOf(2 * number + Number(first)),
  })
  const mapOf = (values: Readonly<Record<GovernedField, string>>) =>
    new Map(governedFields.map((field) => [field, values[field]]))
  return { current: mapOf(each(true)), other: mapOf(each(false)) }
}

/** A member of every state for every kind of value, as PostgreSQL has it. */
async function newSituations(): Promise<Situation[]> {
  const situations: Situation[] = []
  for (const owner of states) {
    for (const kind of givenValues) {
      serial += 1
      const { current, other } = valuesOf(serial)
      const given = {
        other,
        current,
        cleared: new Map(governedFields.map((field) => [field, ''])),
        absent: new Map(),
      }[kind]
      const userId = `situation-${serial}`
      await insertUser(service.database, { id: userId, organizationId: acme, columns: columnsOf(current, owner) })
      situations.push({ userId, owner, current, given })
    }
  }
  return situations
}

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function columnsOf(current: Values, owner: FieldOwner): Record<string, unknown> {
  const columns = ownedPlaces.flatMap((place) => [
    [snakeCase(place.value), current.get(place.field)],
    [snakeCase(place.owner), owner],
    [snakeCase(place.since), start],
  ])
  return { ...Object.fromEntries(columns), manager_assigned_at: start }
}

const modelOf = ({ current, owner }: Pick<Situation, 'current' | 'owner'>) => {
  const from = Object.fromEntries(governedFields.map((field) => [field, { value: current.get(field) ?? '', owner }]))
  return createOwnershipModel(start, from as Parameters<typeof createOwnershipModel>[1])
}

interface SkippedFields {
  readonly skippedPinnedFields: string[]
  readonly skippedDirectoryLockedFields: string[]
}

/** Compares what the model says of writes with what is stored and what was reported, by the ids of the members. */
async function compare(
  writes: readonly Write[],
  reported: ReadonlyMap<string, SkippedFields | undefined>,
): Promise<void> {
  const ids = writes.map(({ situation }) => situation.userId)
  const members = await service.database.transaction((sql) => lockMemberRows(sql, acme, ids))
  const stored = new Map(members.map((member) => [member.userId, member.profile]))
  for (const { situation, step } of writes) {
    const { userId } = situation
    const model = modelOf(situation)
    const { pinned, directoryLocked } = model.apply(step, start)
    const profile = stored.get(userId)
    const what = { userId, owner: situation.owner, step }
    for (const field of governedFields) {
      const { value, owner } = model.profile()[field]
      const { value: isValue, owner: isOwner } = profile?.[field] ?? {}
      expect({ ...what, field, value: isValue, owner: isOwner }).toEqual({ ...what, field, value, owner })
    }
    const names = (fields: readonly GovernedField[]) => fields.map((field) => `USER_PROFILE_FIELD_${field}`)
    const lists = { skippedPinnedFields: names(pinned), skippedDirectoryLockedFields: names(directoryLocked) }
    if (reported.has(userId)) expect({ ...what, ...reported.get(userId) }).toEqual({ ...what, ...lists })
  }
}

const listsOf = ({ skippedPinnedFields, skippedDirectoryLockedFields }: SkippedFields): SkippedFields => {
  return { skippedPinnedFields, skippedDirectoryLockedFields }
}

const call = async (token: string, method: string, path: string, json?: unknown): Promise<RestAnswer> => {
  const answer = await service.rest(method, path, { token: credentials.get(token), json })
  expect([path, answer.status, answer.text]).toEqual([path, 200, answer.text])
  return answer
}

async function sendOne({ token, method, path }: ApiWriter, { situation, json }: Write): Promise<SkippedFields> {
  const { userId } = situation
  const query = method === 'DELETE' && json['pin'] !== undefined ? `?pin=${String(json['pin'] === true)}` : ''
  const { id: _, ...body } = json
  const answer = await call(token, method, path.replace('{id}', userId) + query, method === 'DELETE' ? undefined : body)
  return listsOf(answer.json)
}

async function sendAll({ token, method, path, list }: ApiWriter, writes: readonly Write[]): Promise<SkippedFields[]> {
  const entries = writes.map(({ json }) => json)
  const source = path.includes('ingestion') ? { source: 'table' } : {}
  const body = list === '' ? entries : { ...source, [String(list)]: entries }
  const { json } = await call(token, method, path, body)
  expect(json.data).toHaveLength(writes.length)
  return json.data.map(listsOf)
}

describe('what a write makes of each field, whoever owns it and whatever it asks for, is what a naive reading says', () => {
  it.each(apiWriters(acme).map((writer) => [writer.name, writer] as const))('%s', async (_, writer) => {
    const writes: Write[] = []
    for (const wish of writer.wishes) {
      writes.push(...(await newSituations()).flatMap((situation) => writer.write(situation, wish) ?? []))
    }
    const reported = new Map<string, SkippedFields>()
    if (writer.list === undefined) {
      for (const write of writes) reported.set(write.situation.userId, await sendOne(writer, write))
    } else {
      const results = await sendAll(writer, writes)
      for (const [index, result] of results.entries()) reported.set(writes[index]?.situation.userId ?? '', result)
    }
    expect(reported.size).toBe(writes.length)
    await compare(writes, reported)
  })

  it('POST /v2/users/{id}:republish', async () => {
    const situations = await newSituations()
    const profiles = situations.map(sourceProfileOf)
    await call('api key', 'POST', '/v2/user-ingestion/profiles', { source: 'again', profiles })
    const reported = new Map<string, SkippedFields>()
    for (const { userId, current, owner } of situations) {
      const columns = Object.entries(columnsOf(current, owner))
      const assigned = columns.map(([column], index) => `${column} = $${index + 2}`).join(', ')
      await service.database.execute(`UPDATE memberships SET ${assigned} WHERE user_id = $1`, [
        userId,
        ...columns.map(([, value]) => value),
      ])
      reported.set(userId, listsOf((await call('worker', 'POST', `/v2/users/${userId}:republish`, {})).json))
    }
    const writes = situations.map((situation): Write => {
      return { situation, json: {}, step: { by: 'ingestion', values: situation.given } }
    })
    await compare(writes, reported)
  })

  it('svc import, which takes owners over as they are given', async () => {
    const situations: Situation[] = []
    for (let copy = 0; copy < 4; copy++) situations.push(...(await newSituations()))
    // A member has one record, so each situation is taken for one of its writes.
    const writes = commandLineWrites(situations, acme).filter((_, index) => index % 4 === Math.floor(index / 48))
    const lines = writes.map(({ json }) => JSON.stringify(json))
    await importLines(service.database, lines, { isForced: true })
    expect(new Set(writes.map(({ situation }) => situation.userId)).size).toBe(48)
    await compare(writes, new Map())
  })

  it('a directory, which locks what it supplies and hands back what it does not', async () => {
    const context = { runtime: createTestRuntime(), requestId: '' }
    const directory = { organizationId: acme, keyId: 'mk', name: 'Okta' }
    const writes = (await newSituations()).map((situation): Write => {
      const step = { by: 'directory', values: situation.given, withdrawn: new Set(governedFields) } as const
      return { situation, json: {}, step }
    })
    for (const { situation } of writes) {
      const write = { supplied: Object.fromEntries(situation.given) }
      await writeDirectoryUser(service.database, directory, situation.userId, write, context)
    }
    await compare(writes, new Map())
  })

  it.each(['user token', 'api key', 'worker'] as const)('POST /v2/users with %s', async (token) => {
    for (const pins of [false, true]) {
      for (const kind of ['other', 'cleared'] as const) {
        serial += 1
        const other = valuesOf(serial).other
        const given = kind === 'other' ? other : new Map(governedFields.map((field) => [field, '']))
        const { json, step } = creationOf(token, given, pins)
        const { json: answer } = await call(token, 'POST', '/v2/users', { email: `new-${serial}@example.com`, ...json })
        const situation: Situation = { userId: answer.data.id, owner: 'AUTOMATION', current: new Map(), given }
        await compare([{ situation, json, step }], new Map())
      }
    }
  })

  it('what is not about the profile changes no owner: roles, activity, sessions, teams and groups', async () => {
    const situations = (await newSituations()).filter((_, index) => index % givenValues.length === 0)
    for (const { userId } of situations) {
      await call('api key', 'PUT', `/v2/users/${userId}`, { role: 'USER_ROLE_ORG_GUEST' })
      await call('api key', 'PUT', `/v2/users/${userId}`, { email: `moved-${userId}@example.com` })
      await call('user token', 'POST', `/v2/users/${userId}:endSessions`, {})
      await call('user token', 'POST', `/v2/users/${userId}:deactivate`, {})
      await call('user token', 'POST', `/v2/users/${userId}:reactivate`, {})
      const role = { role: 'TEAM_USER_ROLE_VIEWER' }
      await call('api key', 'PUT', `/v2/teams/${fixture.it}/members/${userId}`, role)
      await call('api key', 'PUT', `/v2/groups/${fixture.groups.it}/members/${userId}`, {})
    }
    const nothing: ModelStep = { by: 'ingestion', values: new Map() }
    await compare(
      situations.map((situation) => ({ situation, json: {}, step: nothing })),
      new Map(),
    )
  })

  it.each(['worker', 'team key'])('an import with the token of a %s, which is refused', async (token) => {
    const situations = await newSituations()
    const [writer] = apiWriters(acme).filter(({ path }) => path === '/v2/imports')
    const records = situations.map((situation) => writer?.write(situation, { name: 'nothing' })?.json)
    const { status } = await service.rest('POST', '/v2/imports', { token: credentials.get(token), json: records })
    expect(status).toBe(403)
    const nothing: ModelStep = { by: 'ingestion', values: new Map() }
    await compare(
      situations.map((situation) => ({ situation, json: {}, step: nothing })),
      new Map(),
    )
  })
})
