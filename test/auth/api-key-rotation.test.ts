import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { databaseFailure } from '../../src/db/errors.js'
import { systemTiming } from '../../src/db/retries.js'
import { createApiKey, listApiKeys } from '../../src/domain/auth/api-key.js'
import { type Rotation, rotateApiKey } from '../../src/domain/auth/api-key-rotation.js'
import { revokeKeyById, revokeLeakedKey } from '../../src/domain/auth/revocation.js'
import { createSecretHasher } from '../../src/domain/auth/secret-hash.js'
import { ServiceError } from '../../src/errors.js'
import { eventually } from '../support/eventually.js'
import { fixture, insertFixture } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'
import { timed } from '../support/timed.js'

const { acme, it: itTeam } = fixture

describe('the rotation of an API key', () => {
  let service: TestService
  let other: ServiceProcess

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    other = await startServiceProcess(service.testDatabase.connectionString)
  })

  afterAll(async () => {
    await other.stop()
    await service.stop()
  })

  const options = () => {
    const { database, runtime } = service
    return { database, runtime, hasher: createSecretHasher() }
  }
  const newKey = (request: { teamId?: string; kind?: 'pk' | 'wk' | 'mk'; seconds?: number } = {}) =>
    createApiKey(options(), { organizationId: acme, name: 'Nightly', ...request })
  const tryToRotate = async (id: string, overlapSeconds = 3600) => {
    try {
      return await rotateApiKey(options(), { id, overlapSeconds })
    } catch (error) {
      if (error instanceof ServiceError) return { refused: error.message, ...error.metadata }
      throw error
    }
  }
  const rotate = async (id: string, overlapSeconds?: number): Promise<Rotation> => {
    const rotation = await tryToRotate(id, overlapSeconds)
    if ('refused' in rotation) throw new Error(`not rotated: ${rotation.refused}`)
    return rotation
  }
  const leak = (secret: string) => revokeLeakedKey({ ...options(), timing: systemTiming }, secret, 'leak-report')
  const exchange = ({ id, secret }: { id: string; secret: string }, baseUrl = service.baseUrl) => {
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret }
    return fetch(`${baseUrl}/v2/auth/token`, { method: 'POST', body: new URLSearchParams(form) })
  }
  const tokenOf = async (key: { id: string; secret: string }, baseUrl?: string): Promise<string> => {
    const answer = await exchange(key, baseUrl)
    expect(answer.status).toBe(200)
    return /svc_token_[A-Za-z0-9_-]+/.exec(await answer.text())?.[0] ?? ''
  }
  const statusOf = async (token: string, baseUrl = service.baseUrl) => {
    const url = `${baseUrl}/v2/app-instances?teamId=${itTeam}`
    return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status
  }
  const liveOf = async (...ids: string[]) => {
    const rows = await service.database.query<{ id: string }>(
      'SELECT id FROM api_keys WHERE id = ANY ($1) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())',
      [ids],
    )
    return ids.filter((id) => rows.some((row) => row.id === id))
  }
  const actionsOn = async (id: string) => {
    const rows = await service.database.query<{ action: string }>(
      'SELECT action FROM audit_events WHERE target_id = $1 ORDER BY id',
      [id],
    )
    return rows.map(({ action }) => action)
  }

  it.each([
    ['an organization', {}],
    ['a team', { teamId: itTeam }],
    ['a worker', { kind: 'wk', teamId: itTeam }],
    ['a directory', { kind: 'mk' }],
  ] as const)('creates a successor with the same reach for a key of %s', async (_, request) => {
    const { id, secret, ...reach } = await newKey(request)
    const successor = await rotate(id)
    expect(successor).toMatchObject({ ...reach, rotatedFrom: id })
    expect([successor.id === id, successor.secret === secret]).toEqual([false, false])
    const keys = await listApiKeys(service.database, acme)
    expect(keys.find((key) => key.id === successor.id)).toMatchObject({ ...reach, name: 'Nightly', rotatedFrom: id })
    expect([await actionsOn(id), await actionsOn(successor.id)]).toEqual([
      ['api_key.create', 'api_key.rotate'],
      ['api_key.create'],
    ])
  })

  it('keeps both keys valid for exactly the overlap in every process, including existing tokens', async () => {
    const key = await newKey()
    const baseUrls = [service.baseUrl, other.baseUrl]
    const tokens = await Promise.all(baseUrls.map((baseUrl) => tokenOf(key, baseUrl)))
    const successor = await rotate(key.id, 2)
    const end = successor.endsAt?.getTime() ?? 0
    const databaseTime = async () => {
      const [row] = await service.database.query<{ now: Date }>('SELECT now()')
      return row?.now.getTime() ?? 0
    }
    let [accepted, refused] = [0, 0]
    const observe = async (attempt: () => Promise<number>) => {
      const before = await databaseTime()
      const status = await attempt()
      const after = await databaseTime()
      if (status === 401) {
        refused++
        expect(after).toBeGreaterThanOrEqual(end)
      } else {
        accepted++
        expect(status).toBe(200)
        expect(before).toBeLessThan(end)
      }
    }
    do {
      for (const baseUrl of baseUrls) {
        for (const token of tokens) await observe(() => statusOf(token, baseUrl))
        await observe(async () => (await exchange(key, baseUrl)).status)
        expect(await statusOf(await tokenOf(successor, baseUrl), baseUrl)).toBe(200)
      }
    } while ((await databaseTime()) < end + 200 || refused < 6)
    expect(accepted).toBeGreaterThan(0)
  })

  it('follows the expiry of the key, whatever its sessions say', async () => {
    const key = await newKey()
    const token = await tokenOf(key)
    expect(await statusOf(token, other.baseUrl)).toBe(200)
    await service.database.execute('UPDATE api_keys SET expires_at = now() WHERE id = $1', [key.id])
    expect([await statusOf(token), await statusOf(token, other.baseUrl)]).toEqual([401, 401])
  })

  it('without an overlap revokes the key and its tokens at once', async () => {
    const key = await newKey()
    const token = await tokenOf(key)
    const successor = await rotate(key.id, 0)
    expect(successor.endsAt).toBeUndefined()
    expect([await statusOf(token), await statusOf(token, other.baseUrl)]).toEqual([401, 401])
    expect((await exchange(key, other.baseUrl)).status).toBe(401)
    expect(await statusOf(await tokenOf(successor))).toBe(200)
    expect(await actionsOn(key.id)).toEqual(['api_key.create', 'api_key.rotate', 'api_key.revoke'])
  })

  it('keeps the last use of each key', async () => {
    const key = await newKey()
    await tokenOf(key)
    const successor = await rotate(key.id)
    await tokenOf(successor)
    await eventually(async () => {
      const keys = await listApiKeys(service.database, acme)
      for (const { id } of [key, successor]) {
        expect(keys.find((listed) => listed.id === id)?.lastUsedAt).toBeInstanceOf(Date)
      }
    })
  })

  it('gives the successor the original lifetime of the key, and never extends the key', async () => {
    const endless = await rotate((await newKey()).id)
    expect(endless.expiresAt).toBeUndefined()
    const key = await newKey({ seconds: 600 })
    const { result: successor, isLater } = await timed(() => rotate(key.id, 3600))
    expect(successor.endsAt).toEqual(key.expiresAt)
    expect((successor.expiresAt?.getTime() ?? 0) - (key.expiresAt?.getTime() ?? 0)).toBeGreaterThanOrEqual(0)
    expect(isLater(successor.expiresAt, 600)).toBe(true)
    const third = await timed(() => rotate(successor.id, 60))
    expect(third.isLater(third.result.expiresAt, 600)).toBe(true)
  })

  it('is refused for a key that is rotated, expired or unknown, and creates nothing', async () => {
    const [rotated, revoked, expired] = [await newKey(), await newKey(), await newKey()]
    const successor = await rotate(rotated.id)
    await revokeKeyById(service, revoked.id)
    await service.database.execute('UPDATE api_keys SET expires_at = now() WHERE id = $1', [expired.id])
    const before = (await listApiKeys(service.database, acme)).length
    expect(await tryToRotate(rotated.id)).toMatchObject({ successorId: successor.id })
    expect(await tryToRotate(revoked.id)).toMatchObject({ refused: expect.stringContaining('is revoked') })
    expect(await tryToRotate(expired.id)).toMatchObject({ refused: expect.stringContaining('has expired') })
    expect(await tryToRotate('nothing')).toMatchObject({ refused: expect.stringContaining('not found') })
    expect(await listApiKeys(service.database, acme)).toHaveLength(before)
  })

  it.each([0, 3600])('creates one successor for concurrent attempts, with an overlap of %d s', async (overlap) => {
    for (let round = 0; round < 10; round++) {
      const key = await newKey()
      const outcomes = await Promise.all(Array.from({ length: 6 }, () => tryToRotate(key.id, overlap)))
      const made = outcomes.flatMap((outcome) => ('refused' in outcome ? [] : [outcome.id]))
      expect(made).toHaveLength(1)
      for (const outcome of outcomes) {
        if ('refused' in outcome) expect(outcome).toMatchObject({ successorId: made[0] })
      }
      expect(await actionsOn(key.id)).toHaveLength(overlap === 0 ? 3 : 2)
    }
  })

  it.each(['first', 'middle', 'last'])('revokes the whole chain if the secret of the %s key leaks', async (which) => {
    const first = await newKey()
    const middle = await rotate(first.id)
    const last = await rotate(middle.id)
    const alone = await newKey()
    const keys = [first, middle, last]
    const tokens = await Promise.all(keys.map((key) => tokenOf(key)))
    await leak({ first, middle, last }[which]?.secret ?? '')
    expect(await liveOf(...keys.map(({ id }) => id), alone.id)).toEqual([alone.id])
    for (const token of tokens)
      expect([await statusOf(token), await statusOf(token, other.baseUrl)]).toEqual([401, 401])
    for (const key of keys) {
      expect((await exchange(key)).status).toBe(401)
      expect((await actionsOn(key.id)).filter((action) => action === 'api_key.revoke')).toHaveLength(1)
    }
  })

  it("also revokes the chain if the leaked secret's overlap is over", async () => {
    const key = await newKey()
    const successor = await rotate(key.id)
    await service.database.execute('UPDATE api_keys SET expires_at = now() WHERE id = $1', [key.id])
    await leak(key.secret)
    expect(await liveOf(successor.id)).toEqual([])
  })

  it('spares the successor if a secret leaks whose key was rotated without an overlap', async () => {
    const leaked = await newKey()
    const successor = await rotate(leaked.id, 0)
    await leak(leaked.secret)
    expect(await liveOf(successor.id)).toEqual([successor.id])
    // The successor's own secret has not been dealt with.
    await leak(successor.secret)
    expect(await liveOf(successor.id)).toEqual([])
  })

  it('revokes the rest of a chain if a secret leaks whose key the operator had revoked', async () => {
    const [first, early] = [await newKey(), await newKey()]
    const middle = await rotate(first.id)
    const last = await rotate(middle.id)
    const successor = await rotate(early.id)
    await service.database.execute(`UPDATE api_keys SET expires_at = now() - interval '1 minute' WHERE id = $1`, [
      early.id,
    ])
    for (const { id } of [middle, early]) {
      expect(await revokeKeyById(service, id)).toEqual([id])
    }
    const token = await tokenOf(last)
    await leak(middle.secret)
    await leak(early.secret)
    expect(await liveOf(first.id, last.id, successor.id)).toEqual([])
    expect(await statusOf(token)).toBe(401)
    for (const { id } of [first, middle, last]) {
      expect((await actionsOn(id)).filter((action) => action === 'api_key.revoke')).toHaveLength(1)
    }
  })

  it('revokes one key of a chain, or all of them, with one command', async () => {
    const first = await newKey()
    const second = await rotate(first.id)
    const third = await rotate(second.id)
    const { database, runtime } = service
    expect(await revokeKeyById({ database, runtime }, second.id)).toEqual([second.id])
    expect(await liveOf(first.id, second.id, third.id)).toEqual([first.id, third.id])
    expect((await revokeKeyById({ database, runtime }, second.id, { chain: true }))?.sort()).toEqual(
      [first.id, third.id].sort(),
    )
    expect(await revokeKeyById({ database, runtime }, third.id, { chain: true })).toEqual([])
    expect(await liveOf(first.id, second.id, third.id)).toEqual([])
  })

  it('leaves no key of a chain alive if a leak is reported during a rotation', async () => {
    let won = 0
    for (let round = 0; round < 20; round++) {
      const first = await newKey()
      const second = await rotate(first.id)
      // Later from round to round, so that either wins some, however fast the machine is.
      const reported = wait(round * 2).then(() => leak(round % 2 ? first.secret : second.secret))
      const [outcome] = await Promise.all([tryToRotate(second.id), reported])
      const third = 'refused' in outcome ? [] : [outcome.id]
      won += third.length
      expect(await liveOf(first.id, second.id, ...third)).toEqual([])
    }
    expect(won).toBeGreaterThan(0)
  })

  it('leaves a key revoked during its rotation with at most one successor, which is still active', async () => {
    for (let round = 0; round < 10; round++) {
      const key = await newKey()
      const [outcome, revoked] = await Promise.all([tryToRotate(key.id), revokeKeyById(service, key.id)])
      expect(revoked).toEqual([key.id])
      const successor = 'refused' in outcome ? [] : [outcome.id]
      if ('refused' in outcome) expect(outcome.refused).toContain('is revoked')
      expect(await liveOf(key.id, ...successor)).toEqual(successor)
    }
  })

  it('ends each key once if all secrets of a chain are reported at once', async () => {
    for (let round = 0; round < 5; round++) {
      const first = await newKey()
      const second = await rotate(first.id)
      await Promise.all([first, second, first, second].map(({ secret }) => leak(secret)))
      for (const { id } of [first, second]) {
        expect((await actionsOn(id)).filter((action) => action === 'api_key.revoke')).toHaveLength(1)
      }
    }
  })

  it('lets no token created during a rotation outlive the key', async () => {
    for (let round = 0; round < 10; round++) {
      const key = await newKey()
      const baseUrls = [service.baseUrl, other.baseUrl]
      const exchanges = baseUrls.flatMap((baseUrl) => [exchange(key, baseUrl), exchange(key, baseUrl)])
      const overlap = round % 2
      const { endsAt } = await rotate(key.id, overlap)
      await Promise.all(exchanges)
      const longer = await service.database.query(
        'SELECT FROM api_key_sessions WHERE api_key_id = $1 AND ($2::timestamptz IS NULL OR expires_at > $2)',
        [key.id, endsAt ?? null],
      )
      expect(longer).toEqual([])
    }
  })

  it.each<[what: string, rows: string]>([
    ['a second successor', `($2, 1, 0, $4)`],
    ['a key that follows itself', `($2, 2, 1, $3)`],
    ['a circle', `($2, 2, 1, $2)`],
    ['a gap', `($2, 3, 2, $4)`],
    ['a place that is not after the one before', `($2, 2, 0, $4)`],
    ['another beginning in the middle of a chain', `($3, 1, 0, $4)`],
    ['a beginning that is another key', `($3, 0, NULL, $4)`],
    ['two keys that follow each other', `('x', 1, 0, $4), ('x', 0, NULL, $3)`],
  ])('cannot be given %s by writing to the database', async (_, rows) => {
    const key = await newKey()
    const successor = await rotate(key.id)
    const free = await newKey()
    const update = service.database.execute(
      `WITH keys AS (SELECT $2::text, $3::text, $4::text)
       UPDATE api_keys SET chain_id = place.chain, rotation = place.rotation, previous_rotation = place.previous::int
         FROM (VALUES ${rows}) AS place (chain, rotation, previous, id)
        WHERE organization_id = $1 AND api_keys.id = place.id`,
      [acme, key.id, successor.id, free.id],
    )
    const failure = databaseFailure(await update.catch((error: unknown) => error))
    expect(['unique_violation', 'check_violation', 'foreign_key_violation']).toContain(failure?.kind)
  })
})
