import { fromJson } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { ImportRecordSchema } from '../../gen/svc/v2/import_record_pb.js'
import type { Caller } from '../../src/domain/caller/caller.js'
import {
  type FieldChange,
  type FieldOwner,
  fieldOwners,
  type GovernedField,
  governedFields,
  skippedFields,
} from '../../src/domain/profile/field-ownership.js'
import { updatePinFields } from '../../src/domain/profile/pin-request.js'
import type { ProfileInput, TextField } from '../../src/domain/profile/profile-value.js'
import { updateUser } from '../../src/domain/user/user.js'
import { writeManager } from '../../src/domain/user/user-relationship.js'
import { ingestUserProfiles } from '../../src/domain/user-ingestion.js'
import { lockMemberRows } from '../../src/store/member.js'
import { importForCaller } from '../../src/transfer/import-for-caller.js'
import { createRecordReader } from '../../src/transfer/record-reader.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { writeDirectoryUser } from '../support/directory.js'
import { fixture, insertFixture, insertUser } from '../support/fixture.js'
import { createOwnershipModel, type ModelStep } from '../support/ownership-model.js'
import { fieldOwnershipOf, fieldsOf, type Values } from '../support/ownership-writers.js'
import { createTestRuntime } from '../support/runtime.js'
import { scopeOn } from '../support/scope.js'
import type { Database } from '../support/sql.js'
import { importLines, line } from '../transfer/transfer-text.js'

const { acme, users } = fixture
const HISTORIES = 25
const STEPS = 25

/** Two canonical values of each field. */
const valuesOf: Readonly<Record<GovernedField, readonly [string, string]>> = {
  FIRST_NAME: ['Ada', 'Grace'],
  LAST_NAME: ['Lovelace', 'Hopper'],
  AVATAR_URL: ['https://x.example/a', 'https://x.example/b'],
  TIMEZONE: ['Europe/London', 'America/New_York'],
  LOCALE: ['en-GB', 'en-US'],
  DEPARTMENT: ['Research', 'Navy'],
  JOB_TITLE: ['Analyst', 'Admiral'],
  MANAGER: [users.manager, users.builder],
  PRIMARY_PHONE: ['+14155550111', '+14155550112'],
}

const organization = {
  organizationId: acme,
  reach: { scope: 'organization', permissions: new Set(['users:write', 'ingestion:write'] as const) },
} as const
const callers: Readonly<Record<'user token' | 'api key' | 'worker', Caller>> = {
  'user token': { ...organization, kind: 'USER_TOKEN', id: users.admin, name: 'Admin' },
  'api key': { ...organization, kind: 'ORGANIZATION_API_KEY', id: 'key', name: 'Key' },
  worker: { ...organization, kind: 'WORKER_TOKEN', id: 'worker', name: 'Worker' },
}

const fieldValue = fc
  .tuple(fc.constantFrom(...governedFields), fc.nat(2))
  .map(([field, index]): [GovernedField, string] => [field, valuesOf[field][index] ?? ''])
const values = fc.array(fieldValue, { maxLength: 5 }).map((entries) => new Map(entries))
const texts = values.map((entries) => new Map([...entries].filter(([field]) => field !== 'MANAGER')))
const fields = fc.array(fc.constantFrom(...governedFields), { maxLength: 3 }).map((list) => new Set(list))
const owners = fc
  .array(fc.tuple(fc.constantFrom(...governedFields), fc.constantFrom(...fieldOwners)), { maxLength: 3 })
  .map((entries) => new Map(entries))
const step: fc.Arbitrary<ModelStep> = fc.oneof(
  fc
    .record({
      by: fc.constantFrom('user token' as const, 'api key' as const, 'worker' as const),
      values: texts,
      pinFields: fields,
      releaseFields: fields,
    })
    // What the method would refuse is left to the tests of refusals.
    .map((update) => {
      const { releaseFields } = update
      const isPinnable = (field: GovernedField) =>
        updatePinFields.has(field) && update.values.has(field) && !releaseFields.has(field)
      return { ...update, pinFields: new Set([...update.pinFields].filter(isPinnable)) }
    }),
  fc.record({
    by: fc.constant('relationship' as const),
    token: fc.constantFrom('user token' as const, 'api key' as const),
    manager: fc.constantFrom('', ...valuesOf.MANAGER),
    pin: fc.constantFrom(undefined, true, false),
  }),
  fc.record({ by: fc.constant('ingestion' as const), values }),
  fc
    .record({
      by: fc.constant('import' as const),
      token: fc.constantFrom('user token' as const, 'api key' as const),
      values,
      owners: owners.map((named) => new Map([...named].filter(([, owner]) => owner !== 'DIRECTORY'))),
    })
    .map((step) => {
      const isPinnable = (field: GovernedField) => field !== 'AVATAR_URL' && step.values.has(field)
      const named = [...step.owners].filter(([field, owner]) => owner === 'AUTOMATION' || isPinnable(field))
      return { ...step, owners: new Map(named) }
    }),
  fc.record({ by: fc.constant('command line' as const), values, owners }),
  fc.record({ by: fc.constant('directory' as const), values, withdrawn: fc.constant(new Set(governedFields)) }),
)

const recordReader = createRecordReader()

/** The record of a user with values and owners. */
function userRecordOf(
  id: string,
  given: { readonly values: Values; readonly owners: ReadonlyMap<GovernedField, FieldOwner> },
) {
  const fieldOwnership = fieldOwnershipOf(given.owners)
  return { id, organizationId: acme, email: `${id}@example.com`, ...fieldsOf(given.values), fieldOwnership }
}

describe('the stored profile of a user', () => {
  let testDatabase: TestDatabase
  let database: Database
  const runtime = createTestRuntime()
  const context = { runtime, requestId: '' }
  let serial = 0

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
    await insertFixture(database)
  })
  afterAll(() => testDatabase.drop())

  const inputOf = (given: ReadonlyMap<GovernedField, string>): ProfileInput => {
    const input: Partial<Record<TextField, string>> = {}
    for (const [field, value] of given) if (field !== 'MANAGER') input[field] = value
    return input
  }

  /** Does the step through the function that serves it; what became of the fields, where it says so. */
  const perform = async (userId: string, each: ModelStep): Promise<readonly FieldChange[] | undefined> => {
    switch (each.by) {
      case 'relationship': {
        const caller = callers[each.token]
        const write = { userId, managerUserId: each.manager, pin: each.pin }
        return (await writeManager(scopeOn(database, caller, context), write)).changes
      }
      case 'ingestion': {
        serial += 1 // Another external id each time, so that none is unchanged.
        const manager = each.values.get('MANAGER')
        const profile = {
          externalId: `${serial}`,
          email: `${userId}@example.com`,
          profile: inputOf(each.values),
          managerEmail: manager && `${manager}@example.com`,
          limits: [],
        }
        const request = { source: 'history', profiles: [profile] }
        return (await ingestUserProfiles(scopeOn(database, callers['api key'], context), request))[0]?.changes
      }
      case 'directory': {
        const write = { supplied: Object.fromEntries(each.values) }
        await writeDirectoryUser(database, { organizationId: acme, keyId: 'mk', name: 'Okta' }, userId, write, context)
        return undefined
      }
      case 'import': {
        const json = { user: userRecordOf(userId, each) }
        const records = [fromJson(ImportRecordSchema, json)]
        const callContext = scopeOn(database, callers[each.token], context)
        return (await importForCaller(callContext, records, { recordReader, isPlan: false }))[0]?.changes
      }
      case 'command line':
        await importLines(database, [line('user', userRecordOf(userId, each))], { isForced: true })
        return undefined
      case 'user token':
      case 'api key':
      case 'worker': {
        const update = {
          userId,
          email: undefined,
          role: undefined,
          profile: inputOf(each.values),
          pinFields: [...each.pinFields],
          releaseFields: [...each.releaseFields],
        }
        return (await updateUser(scopeOn(database, callers[each.by], context), update)).changes
      }
    }
  }

  it('matches a naive reading of the rules after any history, field by field', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
        serial += 1
        const userId = `history-${serial}`
        await insertUser(database, { id: userId, organizationId: acme, columns: { first_name: '' } })
        const model = createOwnershipModel(new Date(0))
        for (const each of steps) {
          const expected = model.apply(each, new Date(0))
          const changes = await perform(userId, each)
          if (changes !== undefined) expect(skippedFields(changes)).toEqual(expected)
        }
        const [member] = await database.transaction((sql) => lockMemberRows(sql, acme, [userId]))
        const profile = model.profile()
        for (const field of governedFields) {
          const { value, owner } = profile[field]
          expect({ field, ...member?.profile[field] }).toMatchObject({ field, value, owner })
        }
        // The next history has the numbers for itself.
        await database.execute('UPDATE memberships SET primary_phone = NULL WHERE user_id = $1', [userId])
      }),
      { numRuns: HISTORIES, endOnFailure: true },
    )
  })
})
