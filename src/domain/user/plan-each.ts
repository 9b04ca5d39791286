import { ServiceError } from '../../errors.js'
import { emailKeyOf } from '../value/email-address.js'
import { isActiveAdministrator } from './activation.js'
import type { HeldMembers } from './hold.js'
import type { ChangedMember, MemberChange, MemberWriter } from './member.js'
import { type MemberPlan, planMembers } from './plan.js'

/** A change of a member by id. */
export type ChangeById = MemberChange & { readonly target: { readonly userId: string } }

/** What is to be written for those changes that are not refused, and the outcome of each change. */
export interface MemberPlans extends Omit<MemberPlan, 'outcomes'> {
  readonly outcomes: readonly (ChangedMember | ServiceError)[]
}

/**
 * Decides what becomes of members, each of whom has one change, as if the changes came in calls of their own: one that
 * is refused leaves its member alone, and a value that one gives up is free for the next. Reads and writes nothing.
 */
export function planEachMember(writer: MemberWriter, changes: readonly ChangeById[], held: HeldMembers): MemberPlans {
  const [emails, phones] = [new Map(held.emails), new Map(held.phones)]
  const administrators = held.administrators && new Set(held.administrators)
  const plans: MemberPlan[] = []
  const outcomes = changes.map((change) => {
    const { userId } = change.target
    const before = held.members.get(userId)
    const members = new Map(before === undefined ? [] : [[userId, before]])
    try {
      const plan = planMembers(writer, [change], { ...held, members, emails, phones, administrators })
      const [outcome] = plan.outcomes
      if (before === undefined || outcome === undefined) throw new Error('the change has no outcome')
      const holder = { userId, name: '', hasUserName: false } as const
      const { email, profile } = outcome.member
      replace(emails, emailKeyOf(before.email), emailKeyOf(email), { ...holder, kind: 'emails', value: email })
      replace(phones, before.profile.PRIMARY_PHONE.value, profile.PRIMARY_PHONE.value, holder)
      if (isActiveAdministrator(outcome.member)) administrators?.add(userId)
      else administrators?.delete(userId)
      plans.push(plan)
      return outcome
    } catch (error) {
      if (error instanceof ServiceError) return error
      throw error
    }
  })
  const all = <Item>(of: (plan: MemberPlan) => readonly Item[]) => plans.flatMap(of)
  return {
    organizationId: writer.organizationId,
    added: [],
    changed: all(({ changed }) => changed),
    signedOut: all(({ signedOut }) => signedOut),
    departments: [...new Set(all(({ departments }) => departments))],
    events: all(({ events }) => events),
    outcomes,
  }
}

/** Gives a member another value in place of the one before. */
function replace<Holder>(holders: Map<string, Holder>, before: string, value: string, holder: Holder): void {
  if (value === before) return
  holders.delete(before)
  if (value !== '') holders.set(value, holder)
}
