import { Code, ConnectError, createContextValues } from '@connectrpc/connect'
import { describe, expect, it } from '@jest/globals'
import pg from 'pg'
import { ErrorInfoSchema } from '../../gen/google/rpc/error_details_pb.js'
import { AuthService } from '../../gen/svc/v2/auth_pb.js'
import type { Tables } from '../../src/db/tables.js'
import { admitRevocation, rateLimited } from '../../src/domain/auth/revoke-limiter.js'
import { createRevokeCallCounter } from '../../src/handlers/auth.js'
import { requestContextKey } from '../../src/handlers/request-context.js'
import { authErrorBody } from '../../src/http/auth-error.js'
import type { RevokeDecision } from '../../src/store/revoke-attempt.js'
import { createTestRuntime } from '../support/runtime.js'
import { noWait, tablesOn } from '../support/scope.js'

const address = '10.0.0.1'
const { revokeLeakedKey, createToken } = AuthService.method

describe('the limiter of revocations', () => {
  const decision = (changes: Partial<RevokeDecision>): RevokeDecision => ({
    isAllowed: false,
    isRefused: false,
    retryAfterSeconds: null,
    ...changes,
  })
  const allowed = decision({ isAllowed: true })
  const refused = (retryAfterSeconds: number | null) => decision({ isRefused: true, retryAfterSeconds })
  const neither = decision({ retryAfterSeconds: 7 })

  /** Admits before a database that decides this, and lists what it asks the database. */
  const deciding = (...decisions: readonly (RevokeDecision | undefined)[]) => {
    const asked: unknown[] = []
    const run = async (_: unknown, attempt: unknown) => {
      const decided = decisions[asked.push(attempt) - 1]
      return (decided === undefined ? [] : [decided]) as never[]
    }
    return { asked, admit: () => admitRevocation({ run }, address) }
  }

  it.each<[name: string, decisions: (RevokeDecision | undefined)[], waitSeconds: number]>([
    ['lets through whom the database counts', [allowed], 0],
    ['refuses when the database refuses, and says for how long', [refused(17)], 17],
    ['never asks callers to retry at once', [refused(0)], 1],
    ['asks for a second where the wait is unknown', [refused(null)], 1],
    ['never asks callers to wait for more than the span', [refused(61)], 60],
    ['looks again where others were counted meanwhile', [neither, allowed], 0],
    ['checks again if no decision came', [undefined, refused(3)], 3],
    ['looks six times', [...Array(5).fill(neither), allowed], 0],
  ])('%s', async (_, decisions, waitSeconds) => {
    const { asked, admit } = deciding(...decisions)
    expect(await admit()).toBe(waitSeconds)
    expect(asked).toEqual(decisions.map(() => ({ clientAddress: address, limit: 5, spanSeconds: 60 })))
  })

  it('fails if the database never responds', async () => {
    const { asked, admit } = deciding(...Array(6).fill(neither), allowed)
    await expect(admit()).rejects.toThrow('the rate limiter gave no decision')
    expect(asked).toHaveLength(6)
  })

  it('reports the limit, and when to retry', () => {
    expect(rateLimited(17)).toMatchObject({
      reason: 'RATE_LIMITED',
      retryAfterSeconds: 17,
      message: 'an address can send at most 5 requests in any 60 seconds; try again in 17 seconds',
    })
  })
})

describe('a call that revokes', () => {
  const unused = () => Promise.reject(new Error('the test replaces the database'))
  const tables: Tables = { isDistributed: false, models: Object.create(null), run: unused, transaction: unused }
  const context = {
    requestId: 'r',
    clientAddress: () => address,
    caller: undefined,
    idempotencyKey: undefined,
    ifMatch: undefined,
    runtime: createTestRuntime(),
    ...tablesOn(tables),
    ...noWait,
  }
  const values = createContextValues().set(requestContextKey, context)

  /** Counts a call of a method before a limiter that decides this. */
  const count = async (method: typeof revokeLeakedKey | typeof createToken, waitSeconds?: number) => {
    const log: unknown[] = []
    const admit = async (clientAddress: string) => {
      log.push(clientAddress)
      if (waitSeconds === undefined)
        throw Object.assign(new pg.DatabaseError('late', 4, 'error'), { code: '57014', severity: 'ERROR' })
      return waitSeconds
    }
    const revokeAttempt = (isAllowed: boolean) => void log.push(isAllowed)
    const nothing = () => {}
    const others = { keysRevoked: nothing, sessionCreated: nothing, fieldsSkipped: nothing, phoneSkipped: nothing }
    const tally = { revokeAttempt, ...others }
    const counter = createRevokeCallCounter((_, clientAddress) => admit(clientAddress), tally)
    const refusal: unknown = await counter({ method, values })?.catch((error: unknown) => error)
    return { log, refusal }
  }

  it('is admitted and counted in the metrics', async () => {
    expect(await count(revokeLeakedKey, 0)).toEqual({ log: [address, true], refusal: undefined })
  })

  it('is refused and counted in the metrics', async () => {
    const { log, refusal } = await count(revokeLeakedKey, 3)
    expect(log).toEqual([address, false])
    expect(refusal).toMatchObject({ reason: 'RATE_LIMITED', retryAfterSeconds: 3 })
  })

  it('is unavailable if the limiter does not decide in time', async () => {
    const { log, refusal } = await count(revokeLeakedKey)
    expect(log).toEqual([address])
    expect(refusal).toMatchObject({ reason: 'SERVICE_UNAVAILABLE' })
  })

  it('is the only kind that counts against the limit', async () => {
    expect(await count(createToken)).toEqual({ log: [], refusal: undefined })
  })

  it('counts against the limit without metrics too', async () => {
    const admit = async () => 0
    const counter = createRevokeCallCounter(admit)
    expect(await counter({ method: revokeLeakedKey, values })).toBeUndefined()
  })

  const errorOf = (reason: string) =>
    new ConnectError('slowly', Code.ResourceExhausted, undefined, [{ desc: ErrorInfoSchema, value: { reason } }])
  const limited = errorOf('ERROR_REASON_RATE_LIMITED')
  it.each([
    ['another method', limited, createToken, undefined],
    ['no method', limited, undefined, undefined],
    ['another reason', errorOf('ERROR_REASON_FIELD_INVALID'), revokeLeakedKey, undefined],
    ['no reason', new ConnectError('slowly', Code.ResourceExhausted), revokeLeakedKey, undefined],
    [
      'the limit',
      limited,
      revokeLeakedKey,
      { contentType: 'application/json', body: '{"error":"slow_down","error_description":"slowly"}\n' },
    ],
  ])('has its own error body for the limit only: %s', (_, error, method, body) => {
    expect(authErrorBody(error, { method })).toEqual(body)
  })
})
