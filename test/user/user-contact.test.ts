import { describe, expect, it } from '@jest/globals'
import { fixture, shareUser } from '../support/fixture.js'
import { protocols, type RequestJson } from '../support/method-forms.js'
import {
  eventsOf,
  field,
  id,
  key,
  newUser,
  phoneOf,
  serial,
  service,
  syncFromDirectory,
  updatesOver,
  useUsers,
} from '../support/users.js'

const { globex } = fixture

useUsers()

describe.each(protocols)('users over %s', (protocol) => {
  const { call, update, updated, refused } = updatesOver(protocol)

  describe('a phone number', () => {
    it('of another member is refused in a direct edit, which writes nothing', async () => {
      const phone = phoneOf(serial)
      await newUser({ primary_phone: phone })
      expect(await refused({ primaryPhone: phone, lastName: 'L' })).toMatchObject({
        status: 409,
        code: 'already_exists',
        reason: 'PHONE_TAKEN',
      })
    })

    it('of a member of another organization is free', async () => {
      const phone = phoneOf(serial)
      await newUser({ primary_phone: phone }, globex)
      expect((await updated({ primaryPhone: phone })).data.primaryPhone).toBe(phone)
    })

    it('can be assigned again once its holder has given it up', async () => {
      const phone = phoneOf(serial)
      const holder = await newUser({ primary_phone: phone })
      await update({ primaryPhone: '' }, key, holder)
      expect((await updated({ primaryPhone: phone })).data.primaryPhone).toBe(phone)
    })
  })

  describe('an email change', () => {
    it('is applied and records an event', async () => {
      const email = `New.${id}.${protocol}@Example.com`
      expect((await updated({ email })).data.email).toBe(email)
      expect((await eventsOf(id)).map(({ action }) => action)).toEqual(['user.update_email'])
    })

    it.each<RequestJson>([
      { jobTitle: 'A' },
      { role: 'USER_ROLE_ORG_GUEST' },
      { releaseFields: [field('JOB_TITLE')] },
      { firstName: 'Ada' },
    ])('together with %j is refused', async (other) => {
      expect(await refused({ email: `other.${id}@example.com`, ...other })).toMatchObject({
        status: 400,
        code: 'invalid_argument',
        reason: 'EMAIL_CHANGE_NOT_ALONE',
        fields: ['email'],
      })
    })

    it('to the current address, whatever its case, changes nothing', async () => {
      const { data } = await updated({ email: `${id}@EXAMPLE.com`, jobTitle: 'A' })
      expect(data).toMatchObject({ email: `${id}@example.com`, jobTitle: 'A' })
    })

    it('to the address of a member, active or not, is refused and names the holder', async () => {
      const holder = await newUser({ last_name: 'Byron', deactivated_at: new Date() })
      const answer = await refused({ email: `${holder.toUpperCase()}@example.com` })
      expect(answer).toMatchObject({ status: 409, code: 'already_exists', reason: 'EMAIL_TAKEN' })
      expect(answer.metadata).toEqual({ holderId: holder, holderName: 'Ada Byron' })
      expect(answer.message).toContain(`Ada Byron (user ${holder})`)
    })

    it('to the address of a person in another organization is allowed', async () => {
      const other = await newUser({}, globex)
      expect((await updated({ email: `${other}@example.com` })).data.email).toBe(`${other}@example.com`)
    })

    it('of a directory user, or of a user of several organizations, is refused, checked in this order', async () => {
      const holder = await newUser()
      await shareUser(service.database, id, globex)
      const email = `${holder}@example.com`
      expect(await refused({ email })).toMatchObject({
        status: 400,
        code: 'failed_precondition',
        reason: 'EMAIL_SHARED_BETWEEN_ORGANIZATIONS',
      })
      await syncFromDirectory(id, { supplied: {} })
      expect(await refused({ email })).toMatchObject({
        status: 400,
        code: 'failed_precondition',
        reason: 'EMAIL_MANAGED_BY_DIRECTORY',
      })
      expect(await refused({ email, jobTitle: 'A' })).toMatchObject({ reason: 'EMAIL_CHANGE_NOT_ALONE' })
    })
  })

  it('with an id that cannot be stored are refused as invalid', async () => {
    const answers = [await update({ jobTitle: 'A' }, key, 'a\u0000'), await call('getUser', { id: 'a\u0000' })]
    expect(answers.map(({ status }) => status)).toEqual([400, 400])
  })
})
