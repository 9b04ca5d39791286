import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { type DirectoryWrite, syncDirectoryUser } from '../../src/domain/directory/directory-sync.js'
import { governedFields } from '../../src/domain/profile/field-ownership.js'
import type { Member } from '../../src/domain/user/member.js'
import { lockMemberRows } from '../../src/store/member.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { writeDirectoryUser } from '../support/directory.js'
import { fixture, insertFixture, insertUser, shareUser } from '../support/fixture.js'
import { createTestRuntime } from '../support/runtime.js'
import type { Database } from '../support/sql.js'

const { acme, globex, users } = fixture

describe('directory sync', () => {
  let testDatabase: TestDatabase
  let database: Database
  const runtime = createTestRuntime()
  const context = { runtime, requestId: 'request' }
  const okta = { organizationId: acme, keyId: 'mk-1', name: 'Okta' }
  let serial = 0
  let id: string

  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    database = testDatabase.open()
    await insertFixture(database)
  })
  afterAll(() => testDatabase.drop())
  beforeEach(async () => {
    serial += 1
    id = `user-${serial}`
    await insertUser(database, { id, organizationId: acme, columns: { job_title: 'Old', job_title_owner: 'PINNED' } })
  })

  const sync = async (write: DirectoryWrite, userId = id) => {
    const { groups: _, managerName: __, ...member } = await writeDirectoryUser(database, okta, userId, write, context)
    return member
  }
  const lockedFields = ({ profile }: Member) => governedFields.filter((field) => profile[field].owner === 'DIRECTORY')
  const stored = async () => (await database.transaction((sql) => lockMemberRows(sql, acme, [id])))[0]
  const eventsOf = (targetId: string) =>
    database.query<{ action: string; actor_kind: string; actor_id: string; changes: unknown }>(
      'SELECT action, actor_kind, actor_id, changes FROM audit_events WHERE target_id = $1 ORDER BY occurred_at, id',
      [targetId],
    )
  const refusal = async (write: DirectoryWrite) => {
    const before = await stored()
    const error: unknown = await sync(write).catch((thrown: unknown) => thrown)
    expect(await stored()).toEqual(before)
    return error
  }

  it('overrides any pin on any field, and locks the field', async () => {
    const member = await sync({
      supplied: {
        FIRST_NAME: 'Ada',
        LAST_NAME: 'Lovelace',
        JOB_TITLE: 'New',
        DEPARTMENT: `Directory ${serial}`,
        TIMEZONE: 'europe/london',
        LOCALE: 'en-gb',
        AVATAR_URL: 'https://x.example/a',
        PRIMARY_PHONE: '+14155550199',
        MANAGER: users.manager,
      },
    })
    expect(lockedFields(member)).toEqual(governedFields)
    expect(member.profile.TIMEZONE.value).toBe('Europe/London')
    expect(member.directoryManaged).toBe(true)
    expect(await stored()).toEqual(member)
    const options = await database.query('SELECT FROM department_options WHERE name = $1', [`Directory ${serial}`])
    expect(options).toHaveLength(1)
  })

  it('unlocks a field that it stops supplying, keeps its value, and leaves pins alone', async () => {
    await sync({ supplied: { FIRST_NAME: 'Ada', LAST_NAME: 'Lovelace' } })
    const member = await sync({ supplied: { LAST_NAME: 'Lovelace' } })
    expect(lockedFields(member)).toEqual(['LAST_NAME'])
    expect(member.profile.FIRST_NAME).toMatchObject({ value: 'Ada', owner: 'AUTOMATION' })
    expect(member.profile.JOB_TITLE).toMatchObject({ value: 'Old', owner: 'PINNED' })
  })

  it('changes the email address, deactivates and reactivates', async () => {
    const email = `Directory.${id}@example.com`
    expect((await sync({ supplied: {}, email })).email).toBe(email)
    const deactivated = await sync({ supplied: {}, active: false })
    expect(deactivated.deactivatedAt).not.toBeNull()
    expect((await sync({ supplied: {}, active: false })).deactivatedAt).toEqual(deactivated.deactivatedAt)
    expect((await sync({ supplied: {}, active: true })).deactivatedAt).toBeNull()
    expect((await eventsOf(id)).map(({ action }) => action)).toEqual([
      'user.update_email',
      'user.deactivate',
      'user.reactivate',
    ])
  })

  it('records an event with the directory as the actor', async () => {
    await sync({ supplied: { JOB_TITLE: 'New' } })
    expect(await eventsOf(id)).toEqual([
      {
        action: 'user.directory_sync',
        actor_kind: 'DIRECTORY',
        actor_id: 'mk-1',
        changes: [
          {
            field: 'USER_PROFILE_FIELD_JOB_TITLE',
            outcome: 'FIELD_WRITE_OUTCOME_WRITTEN',
            oldOwner: 'FIELD_OWNER_PINNED',
            newOwner: 'FIELD_OWNER_DIRECTORY',
          },
        ],
      },
    ])
  })

  it('creates a user with the directory as owner, and names the holder of a taken address', async () => {
    const email = `created.${id}@example.com`
    const create = (write: DirectoryWrite & { readonly email: string }) =>
      database.transaction((tables) => syncDirectoryUser({ ...okta, ...context, tables }, undefined, write))
    const member = await create({ supplied: { FIRST_NAME: 'Grace' }, email })
    expect([member.email, member.directoryManaged, lockedFields(member)]).toEqual([email, true, ['FIRST_NAME']])
    expect((await eventsOf(member.userId)).map(({ action }) => action)).toEqual(['user.create'])
    await expect(create({ supplied: {}, email })).rejects.toMatchObject({
      reason: 'EMAIL_TAKEN',
      metadata: { holderId: member.userId },
    })
  })

  it('refuses invalid values, taken phones and emails, and impossible managers', async () => {
    const other = `other-${serial}`
    const columns = { primary_phone: '+14155550100', manager_user_id: id, manager_assigned_at: new Date() }
    await insertUser(database, { id: other, organizationId: acme, columns: { ...columns } })
    expect(await refusal({ supplied: { TIMEZONE: 'Mars' } })).toMatchObject({ reason: 'FIELD_INVALID' })
    expect(await refusal({ supplied: { PRIMARY_PHONE: '+14155550100', JOB_TITLE: 'New' } })).toMatchObject({
      reason: 'PHONE_TAKEN',
    })
    expect(await refusal({ supplied: {}, email: `${other}@example.com` })).toMatchObject({ reason: 'EMAIL_TAKEN' })
    expect(await refusal({ supplied: { MANAGER: id } })).toMatchObject({ reason: 'MANAGER_IS_SELF' })
    expect(await refusal({ supplied: { MANAGER: other } })).toMatchObject({ reason: 'MANAGER_CYCLE' })
    expect(await refusal({ supplied: { MANAGER: users.globexAdmin } })).toMatchObject({
      reason: 'MANAGER_NOT_FOUND',
    })
    await database.execute(
      'UPDATE memberships SET primary_phone = NULL, manager_user_id = NULL, manager_assigned_at = NULL WHERE user_id = $1',
      [other],
    )
  })

  it('finds no user of another organization, and does not rename a person who is in two', async () => {
    await expect(sync({ supplied: {} }, users.globexAdmin)).rejects.toMatchObject({ reason: 'RESOURCE_NOT_FOUND' })
    await shareUser(database, id, globex)
    expect(await refusal({ supplied: {}, email: `renamed.${id}@example.com` })).toMatchObject({
      reason: 'EMAIL_SHARED_BETWEEN_ORGANIZATIONS',
    })
  })
})
