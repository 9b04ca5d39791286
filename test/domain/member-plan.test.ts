import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import {
  commandsOfDirectory,
  commandsOfRequest,
  type FieldCommand,
  type GovernedField,
  governedFields,
  skippedFields,
} from '../../src/domain/profile/field-ownership.js'
import type { LockedMembers } from '../../src/domain/user/lock.js'
import { type Member, type MemberChange, type MemberWriter, newMember } from '../../src/domain/user/member.js'
import { type MemberPlan, planMembers } from '../../src/domain/user/plan.js'
import { type CommandStep, createOwnershipModel } from '../support/ownership-model.js'
import { createTestRuntime } from '../support/runtime.js'

type Step = Exclude<CommandStep, { readonly by: 'relationship' }>

const start = new Date('2026-01-01T00:00:00.000Z')
const later = (millis: number) => new Date(start.getTime() + millis)
const key: MemberWriter = {
  organizationId: 'org',
  actor: { kind: 'API_KEY', id: 'key', name: 'Key' },
  rights: 'administrators',
  requestId: 'request',
  runtime: createTestRuntime(),
  action: 'user.update',
}

/** The locked members of an organization without others, whose values are all in question. */
function lockedOf(members: readonly Member[], newcomers: readonly Member[] = []): LockedMembers {
  const holders = (kind: 'emails' | 'phones', textOf: (member: Member) => string) =>
    new Map(
      members.map((member) => {
        const value = textOf(member)
        return [value, { kind, value, userId: member.userId, name: '', hasUserName: false, isDeleted: false }]
      }),
    )
  const phones = holders('phones', ({ profile }) => profile.PRIMARY_PHONE.value)
  phones.delete('')
  return {
    now: later(1),
    members: new Map([...members, ...newcomers].map((member) => [member.userId, member])),
    newcomers,
    emails: holders('emails', ({ email }) => email),
    phones,
    userNames: new Map(),
    externalIds: new Map(),
    managers: new Map(members.map(({ userId, profile }) => [userId, profile.MANAGER.value || null])),
    administrators: undefined,
    teamRoles: [],
  }
}

const memberOf = (id: string) => newMember(id, `${id}@example.com`, start)
const set = (field: GovernedField, value: string): FieldCommand => ({ kind: 'set', field, value, as: 'AUTOMATION' })

/** The members after a plan, including unchanged ones. */
function after(members: readonly Member[], { added, changed }: MemberPlan): Member[] {
  const written = new Map(changed.map((member) => [member.userId, member]))
  return [...members.map((member) => written.get(member.userId) ?? member), ...added]
}

describe('a plan', () => {
  const ids = ['a', 'b', 'c', 'd', 'e']
  const id = fc.constantFrom(...ids)
  const command = fc.oneof(
    fc.constantFrom('', ...ids).map((manager) => set('MANAGER', manager)),
    fc.constantFrom('', '+14155550101', '+14155550102', '+14155550103').map((phone) => set('PRIMARY_PHONE', phone)),
    fc.constantFrom('', 'x', 'y').map((department) => set('DEPARTMENT', department)),
  )
  const reports = (userId: string, ...managers: string[]) => ({
    userId,
    commands: managers.map((manager) => set('MANAGER', manager)),
  })
  const change = fc.record({ userId: id, commands: fc.array(command, { maxLength: 3 }) })

  it('of any publications leaves no management cycle and no number shared by two members', () => {
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 8 }), { maxLength: 6 }), (calls) => {
        let members = ids.map(memberOf)
        for (const call of calls) {
          const changes = call.map(({ userId, commands }): MemberChange => {
            return { target: { userId }, commands, refusedValues: 'leave out' }
          })
          const plan = planMembers(key, changes, lockedOf(members))
          members = after(members, plan)
          expect(plan.outcomes).toHaveLength(call.length)
        }
        const managers = new Map(members.map(({ userId, profile }) => [userId, profile.MANAGER.value]))
        for (const userId of ids) {
          let above: string | undefined = managers.get(userId)
          for (let steps = 0; above; steps++) {
            expect(steps).toBeLessThan(ids.length)
            above = managers.get(above)
          }
        }
        const phones = members.map(({ profile }) => profile.PRIMARY_PHONE.value).filter((phone) => phone !== '')
        expect(new Set(phones).size).toBe(phones.length)
      }),
      { examples: [[[[reports('d', 'a')], [reports('c', 'e'), reports('a', '', 'c'), reports('e', 'd')]]]] },
    )
  })

  it('of a request is refused if that of a publication skips values, and writes the same otherwise', () => {
    // A field that is given twice in one call is judged by its last value in a publication.
    const once = fc.record({
      userId: id,
      commands: fc.uniqueArray(command, { maxLength: 3, selector: ({ field }) => field }),
    })
    fc.assert(
      fc.property(fc.uniqueArray(once, { maxLength: 6, selector: ({ userId }) => userId }), (call) => {
        const members = ids.map(memberOf)
        const changes = call.map(({ userId, commands }) => ({ target: { userId }, commands }))
        const published = planMembers(
          key,
          changes.map((each) => ({ ...each, refusedValues: 'leave out' as const })),
          lockedOf(members),
        )
        const attempt = () => planMembers(key, changes, lockedOf(members))
        if (published.outcomes.some(({ leftOut }) => leftOut.size > 0)) expect(attempt).toThrow()
        else {
          // Every manager of a request must be valid, even one that a later change makes so.
          try {
            expect(attempt().changed).toEqual(published.changed)
          } catch (error) {
            expect(error).toMatchObject({ reason: expect.stringMatching(/^MANAGER_/) })
          }
        }
      }),
    )
  })

  const value = fc.constantFrom('', 'a', 'b')
  const field = fc.constantFrom(...governedFields.filter((each) => each !== 'MANAGER' && each !== 'PRIMARY_PHONE'))
  const values = fc.array(fc.tuple(field, value), { maxLength: 5 }).map((entries) => new Map(entries))
  const fields = fc.array(field, { maxLength: 3 }).map((list) => new Set(list))
  const all = fc.constant(new Set(governedFields))
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({
      by: fc.constantFrom('user token' as const, 'api key' as const, 'worker' as const),
      values,
      pinFields: fields,
      releaseFields: fields,
    }),
    fc.record({ by: fc.constant('ingestion' as const), values }),
    fc.record({ by: fc.constant('directory' as const), values, withdrawn: all }),
  )

  it("of any writers' history is what a naive reading of the rules says, and rewrites no member in vain", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const model = createOwnershipModel(start)
        let member = memberOf('a')
        steps.forEach((each, index) => {
          const now = later(index + 1)
          const expected = model.apply(each, now)
          const changes = [{ target: { userId: 'a' }, commands: commandsOf(each) }]
          const { changed, outcomes, events } = planMembers(key, changes, { ...lockedOf([member]), now })
          const before = member
          member = changed[0] ?? member
          expect(member.profile).toEqual(model.profile())
          expect(changed.length).toBe(Number(isOther(before, member)))
          expect(skippedFields(outcomes[0]?.changes ?? [])).toEqual(expected)
          expect(events.map((event) => event.changes)).toEqual(
            outcomes[0]?.changes.length === 0 ? [] : [outcomes[0]?.changes],
          )
        })
      }),
    )
  })

  it('adds everyone who joins in the final state, once for an address that changes hands twice', () => {
    const joining = memberOf('n')
    const target = { email: 'N@example.com' }
    const changes = [
      { target, commands: [set('JOB_TITLE', 'One')] },
      { target, commands: [set('JOB_TITLE', 'Two'), set('DEPARTMENT', 'Engines')] },
    ]
    const plan = planMembers(key, changes, lockedOf([memberOf('a')], [joining]))
    expect(plan.added.map(({ userId, profile }) => [userId, profile.JOB_TITLE.value])).toEqual([['n', 'Two']])
    expect([plan.changed, plan.departments]).toEqual([[], ['Engines']])
    expect(plan.outcomes.map(({ isNew }) => isNew)).toEqual([true, false])
    expect(plan.events.map(({ action }) => action)).toEqual(['user.create', 'user.update'])
  })

  it('treats a number or a manager as free that a member lost before it was locked', () => {
    const [a, b] = [memberOf('a'), memberOf('b')]
    const stale = {
      ...lockedOf([a, b]),
      phones: new Map([['+14155550101', { userId: 'b' }]]),
      managers: new Map([
        ['b', 'a'],
        ['a', null],
      ]),
    }
    const changes = [{ target: { userId: 'a' }, commands: [set('PRIMARY_PHONE', '+14155550101'), set('MANAGER', 'b')] }]
    expect(planMembers(key, changes, stale).changed[0]?.profile).toMatchObject({
      PRIMARY_PHONE: { value: '+14155550101' },
      MANAGER: { value: 'b' },
    })
  })
})

function isOther(before: Member, member: Member): boolean {
  return JSON.stringify(before.profile) !== JSON.stringify(member.profile)
}

function commandsOf(step: Step): FieldCommand[] {
  if (step.by === 'ingestion') return commandsOfRequest({ writer: 'automation', values: step.values })
  if (step.by === 'directory') return commandsOfDirectory(step.values)
  return commandsOfRequest({
    writer: step.by === 'user token' ? 'person' : 'automation',
    values: step.values,
    pinFields: [...step.pinFields],
    releaseFields: [...step.releaseFields],
  })
}
