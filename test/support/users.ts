import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals'
import type { DirectoryWrite } from '../../src/domain/directory/directory-sync.js'
import { writeDirectoryUser } from './directory.js'
import { fixture, insertApiKey, insertFixture, insertUser, insertUserToken } from './fixture.js'
import type { protocols, RequestJson } from './method-forms.js'
import { startTestService, type TestService } from './service.js'
import { userMethodCaller } from './user-methods.js'

const { acme, users } = fixture

export let service: TestService
/** Tokens of a key, a worker and an administrator of Acme. */
export let key: string
export let worker: string
export let admin: string
/** A member of Acme that no other test uses, and its number. */
export let id: string
export let serial = 0

/** Starts a service for the tests of a file, and makes a new member for each. */
export function useUsers(): void {
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    key = (await insertApiKey(service.database, { organizationId: acme })).token
    worker = (await insertApiKey(service.database, { organizationId: acme, kind: 'wk' })).token
    admin = await insertUserToken(service.database, { userId: users.admin })
  })
  afterAll(() => service.stop())
  beforeEach(async () => {
    id = await newUser()
  })
}

/** The name of a governed field in the API. */
export const field = (name: string) => `USER_PROFILE_FIELD_${name}`

/** Makes one more member, of Acme by default. */
export async function newUser(columns: Record<string, unknown> = {}, organizationId: string = acme): Promise<string> {
  serial += 1
  const userId = `user-${serial}`
  await insertUser(service.database, { id: userId, organizationId, columns: { first_name: 'Ada', ...columns } })
  return userId
}

/** Replaces the test's member with a new one. */
export async function replaceUser(columns: Record<string, unknown>): Promise<void> {
  id = await newUser(columns)
}

/** An unused email address. */
export function newEmail(): string {
  serial += 1
  return `new.${serial}@example.com`
}

/** A phone number for a number. */
export const phoneOf = (number: number) => `+1415555${String(number).padStart(4, '0')}`

/** Writes a member of Acme as its directory. */
export const syncFromDirectory = (userId: string, write: DirectoryWrite) =>
  writeDirectoryUser(service.database, { organizationId: acme, keyId: 'mk', name: 'Okta' }, userId, write, {
    runtime: service.runtime,
    requestId: '',
  })

/** The audit events of a user, in their order. */
export const eventsOf = (targetId: string) =>
  service.database.query<{ action: string; changes: unknown }>(
    'SELECT action, changes FROM audit_events WHERE target_id = $1 ORDER BY occurred_at, id',
    [targetId],
  )

/** Everything that is stored about a user. */
export async function stateOf(userId: string) {
  const rows = await service.database.query(
    'SELECT to_jsonb(m) AS member FROM memberships m WHERE m.user_id = $1 ORDER BY m.organization_id',
    [userId],
  )
  return { rows, events: await eventsOf(userId) }
}

/** The methods of users through one protocol, and updates of the member that succeed or change nothing. */
export function updatesOver(protocol: (typeof protocols)[number]) {
  const call = userMethodCaller(
    () => service,
    protocol,
    () => key,
  )
  const update = (change: RequestJson, token?: string, userId = id) =>
    call('updateUser', { id: userId, ...change }, token)
  return {
    call,
    update,
    updated: async (change: RequestJson, token?: string) => {
      const { answer } = await update(change, token)
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      return answer.json
    },
    refused: async (change: RequestJson, token?: string) => {
      const before = await stateOf(id)
      const { status, code, reason, fields, message, metadata } = await update(change, token)
      expect(await stateOf(id)).toEqual(before)
      return { status, code, reason, fields, message, metadata }
    },
  }
}
