import { beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertUserToken } from './fixture.js'
import { callMethod, type MethodForms, type Outcome, protocols, type RequestJson } from './method-forms.js'
import type { TestService } from './service.js'

/** Where the object of a request may be: in the caller's team, another team, another organization, or nowhere. */
export type Place = 'it' | 'people' | 'globex' | 'nowhere'

/** The people of the fixture that have a role in `it`, and the administrator. */
export type Person = 'admin' | 'manager' | 'builder' | 'agent' | 'contributor' | 'viewer' | 'guest' | 'both'

/** A method that works on an object of a team. */
export interface PlacedMethod {
  readonly method: MethodForms
  /** A valid request about an object in the place. */
  readonly requestFor: (place: Place) => RequestJson
  /** Whether the method accepts keys, of organizations and of teams, and workers. */
  readonly takesKeys: boolean
  /** Who may call it in `it`; the others see the object but may not. */
  readonly allowed: readonly Person[]
}

const people: readonly Person[] = ['admin', 'manager', 'builder', 'agent', 'contributor', 'viewer', 'guest', 'both']

/** Everything that a caller could have changed. */
export async function stateOf(service: TestService): Promise<unknown> {
  const tables = [
    'priorities',
    'app_resources',
    'approval_procedures',
    'approval_steps',
    'approval_step_approvers',
    'audit_events',
  ]
  const digests = tables.map((table) => `(SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM ${table} t)`)
  return service.database.query(`SELECT ${digests.map((digest, index) => `${digest} AS t${index}`).join(', ')}`)
}

/** The guarantees about places of every method on a team's objects (docs/permissions.md). */
export function guardPlaces(service: () => TestService, { method, requestFor, ...rules }: PlacedMethod): void {
  describe.each(protocols)('by place, over %s', (protocol) => {
    const tokens = new Map<string, string>()
    const call = (who: string, place: Place) =>
      callMethod(service(), method, { protocol, request: requestFor(place), token: tokens.get(who) })
    const refused = async (who: string, place: Place, expected: Partial<Outcome>): Promise<Outcome> => {
      const before = await stateOf(service())
      const outcome = await call(who, place)
      expect([outcome, `${who} in ${place}`]).toMatchObject([expected, `${who} in ${place}`])
      expect(await stateOf(service())).toEqual(before)
      return outcome
    }
    const notFound = { status: 404, code: 'not_found', reason: 'RESOURCE_NOT_FOUND' }

    beforeAll(async () => {
      const { database: sql } = service()
      for (const person of people) tokens.set(person, await insertUserToken(sql, { userId: fixture.users[person] }))
      tokens.set('other', await insertUserToken(sql, { userId: fixture.users.peopleManager }))
      const { acme: organizationId, it: teamId } = fixture
      tokens.set('organization key', (await insertApiKey(sql, { organizationId })).token)
      tokens.set('team key', (await insertApiKey(sql, { organizationId, teamId })).token)
      tokens.set('worker', (await insertApiKey(sql, { organizationId, kind: 'wk' })).token)
      tokens.set('team worker', (await insertApiKey(sql, { organizationId, teamId, kind: 'wk' })).token)
    })

    it('refuses a call without a credential or with an invalid one', async () => {
      await refused('nobody', 'it', { status: 401, code: 'unauthenticated', reason: 'CREDENTIAL_MISSING' })
      tokens.set('stranger', 'svc_token_unknown')
      await refused('stranger', 'it', { status: 401, code: 'unauthenticated', reason: 'CREDENTIAL_INVALID' })
    })

    it.each(people)('allows the %s exactly what the role permits in the team', async (person) => {
      if (rules.allowed.includes(person)) expect(await call(person, 'it')).toMatchObject({ status: 200 })
      else {
        const missing = { status: 403, code: 'permission_denied', reason: 'PERMISSION_MISSING' }
        await refused(person, 'it', missing)
      }
    })

    it('returns the same 404 for what does not exist, is foreign, or belongs to a hidden team', async () => {
      const who = rules.allowed.find((person) => person !== 'admin' && person !== 'both') ?? 'manager'
      const missing = await refused(who, 'nowhere', notFound)
      const foreign = await refused(who, 'globex', notFound)
      const hidden = await refused(who, 'people', notFound)
      expect([foreign.message, hidden.message]).toEqual([missing.message, missing.message])
      expect(foreign.metadata['resourceType']).toBe(missing.metadata['resourceType'])
    })

    it('hides the team from a person whose only role is in another team', async () => {
      const isPermitted = await call('other', 'people')
      expect(isPermitted.status).toBe(200)
      await refused('other', 'it', notFound)
    })

    it('lets the administrator reach every team of the organization and nothing of another', async () => {
      for (const place of ['it', 'people'] as const) expect(await call('admin', place)).toMatchObject({ status: 200 })
      await refused('admin', 'globex', notFound)
    })

    it('accepts the declared kinds of key, each within its reach', async () => {
      for (const who of ['organization key', 'worker', 'team key', 'team worker']) {
        if (rules.takesKeys) {
          expect([await call(who, 'it'), who]).toMatchObject([{ status: 200 }, who])
          await refused(who, 'globex', notFound)
          await refused(who, 'nowhere', notFound)
          if (who.startsWith('team')) await refused(who, 'people', notFound)
          else expect([await call(who, 'people'), who]).toMatchObject([{ status: 200 }, who])
        } else await refused(who, 'it', { status: 403, reason: 'CREDENTIAL_KIND_UNSUPPORTED' })
      }
    })
  })
}
