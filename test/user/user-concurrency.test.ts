import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { takeLocks } from '../../src/store/lock.js'
import { lockMemberRows } from '../../src/store/member.js'
import { fixture, insertApiKey, insertFixture, insertUser, insertUserToken } from '../support/fixture.js'
import { untilLockWaits } from '../support/lock-wait.js'
import { patientSessions, startTestService, type TestService } from '../support/service.js'
import { type RaceGround, raceEmails, racePhones, racePins } from '../support/user-races.js'

// Two cores carry the service, the database and the callers of a suite: few rounds show a rule that is not kept (a
// check before a write loses in nearly every round). The trial `winner` has hundreds.
const CLAIMERS = 64
const CLAIM_ROUNDS = 4
const PIN_ROUNDS = 60

const { acme, globex, users } = fixture

describe('concurrent writes to users', () => {
  let service: TestService
  let ground: RaceGround
  const claimers = Array.from({ length: CLAIMERS }, (_, index) => `claimer-${index}`)

  beforeAll(async () => {
    // Claimers wait for each other, and for a connection, for as long as the machine takes.
    service = await startTestService({ sessions: { ...patientSessions, maxWaitMillis: 600_000 } })
    await insertFixture(service.database)
    const { token: keyToken } = await insertApiKey(service.database, { organizationId: acme })
    ground = { rest: (method, path, call) => service.rest(method, path, call), keyToken }
    for (const id of claimers) await insertUser(service.database, { id, organizationId: acme })
  })
  afterAll(() => service.stop())

  const put = (id: string, json: unknown) => service.rest('PUT', `/v2/users/${id}`, { token: ground.keyToken, json })

  it('give a phone number to exactly one of many claimers, direct edits and ingestion alike', async () => {
    const { winners, outcomes } = await racePhones(ground, claimers, CLAIM_ROUNDS)
    expect(winners).toEqual(winners.map(() => 1))
    expect(Object.keys(outcomes)).toEqual(['200', '409 already_exists'])
  })

  it('give an email address to exactly one of many claimers, edits and new users alike', async () => {
    const { winners, outcomes } = await raceEmails(ground, claimers, CLAIM_ROUNDS)
    expect(winners).toEqual(winners.map(() => 1))
    expect(Object.keys(outcomes)).toEqual(['200', '409 already_exists'])
  })

  it('never lose a pin to concurrent automation', async () => {
    const userToken = await insertUserToken(service.database, { userId: users.viewer })
    expect(await racePins(ground, { userId: users.viewer, userToken }, PIN_ROUNDS)).toEqual({
      lost: 0,
      outcomes: { 200: 4 * PIN_ROUNDS },
    })
  })

  it('wait for a writer of the same member, and not for a writer of another', async () => {
    const waiting = await service.database.transaction(async (sql) => {
      await lockMemberRows(sql, acme, [users.agent])
      await sql.execute(
        `UPDATE memberships SET last_name = 'Written first' WHERE organization_id = $1 AND user_id = $2`,
        [acme, users.agent],
      )
      const same = put(users.agent, { jobTitle: 'Waited' })
      const other = await put(users.builder, { jobTitle: 'Did not wait' })
      expect(other.status).toBe(200)
      await untilLockWaits(service.testDatabase, 1)
      return { same }
    })
    const { json } = await waiting.same
    // Nothing of what the first writer did is lost.
    expect(json.data).toMatchObject({ lastName: 'Written first', jobTitle: 'Waited' })
  })

  it('name the holder if another writer takes an address or number first without a claim', async () => {
    const rivalId = 'rival'
    const waiting = await service.database.transaction(async (sql) => {
      const columns = { primary_phone: '+14155550177' }
      await insertUser(sql, { id: rivalId, organizationId: acme, columns })
      const create = service.rest('POST', '/v2/users', {
        token: ground.keyToken,
        json: { email: `${rivalId}@example.com` },
      })
      const edit = put(users.manager, { primaryPhone: '+14155550177' })
      await untilLockWaits(service.testDatabase, 2)
      return { create, edit }
    })
    const { json } = await waiting.create
    expect(json).toMatchObject({ code: 'already_exists', message: expect.stringContaining(`user ${rivalId}`) })
    expect((await waiting.edit).json).toMatchObject({ code: 'already_exists' })
  })

  it('create two users if two organizations add one address at once', async () => {
    const foreign = (await insertApiKey(service.database, { organizationId: globex })).token
    for (let round = 0; round < 10; round++) {
      const json = { email: `shared-${round}@example.com` }
      const answers = await Promise.all(
        [ground.keyToken, foreign].map((token) => service.rest('POST', '/v2/users', { token, json })),
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(new Set(answers.map((answer) => answer.json.data.id)).size).toBe(2)
    }
  })

  it('never wait for another organization that has or assigns the same address', async () => {
    const email = 'apart@example.com'
    const id = 'moving'
    await insertUser(service.database, { id, organizationId: acme })
    await service.database.transaction(async (transaction) => {
      await takeLocks(
        transaction,
        [email, `${id}@example.com`].map((value) => ({ kind: 'email', organizationId: globex, value }) as const),
      )
      await insertUser(transaction, { id: 'elsewhere', organizationId: globex, email })
      const added = await service.rest('POST', '/v2/users', { token: ground.keyToken, json: { email } })
      expect([added.status, (await put(id, { email: 'moved@example.com' })).status]).toEqual([200, 200])
    })
  })

  it('treat the same ingestion call sent twice at once as one', async () => {
    const profiles = Array.from({ length: 20 }, (_, index) => ({
      externalId: `twice-${index}`,
      email: `twice-${index}@example.com`,
      jobTitle: 'A',
    }))
    const ingest = () =>
      service.rest('POST', '/v2/user-ingestion/profiles', {
        token: ground.keyToken,
        json: { source: 'twice', profiles },
      })
    const answers = await Promise.all([ingest(), ingest(), ingest()])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const outcomes = answers.flatMap(({ json }) => json.data.map((result: { outcome: string }) => result.outcome))
    expect(outcomes.filter((outcome) => outcome === 'INGESTION_OUTCOME_CREATED')).toHaveLength(20)
    expect(outcomes.filter((outcome) => outcome === 'INGESTION_OUTCOME_UNCHANGED')).toHaveLength(40)
  })
})
