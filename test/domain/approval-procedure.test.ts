import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import {
  type ApprovalProcedureDraft,
  createApprovalProcedure,
  type StepInput,
  updateApprovalProcedure,
} from '../../src/domain/access-policy-approval-procedure.js'
import { DEFAULT_TIMEOUT_SECONDS } from '../../src/limits/known-limits.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertFixture } from '../support/fixture.js'
import { organizationKey, scopeOn } from '../support/scope.js'
import type { Database } from '../support/sql.js'

const { acme, users, groups } = fixture
const accessPolicyId = fixture.accessPolicies.it
const caller = organizationKey(acme)

const stepOf = (...approvers: StepInput['approvers']): StepInput => ({
  approvers,
  approverJustificationMode: '',
  suppressNotifications: false,
  autoApproveSelf: false,
})
const user = (userId: string) => ({ kind: { case: 'user', value: { userId } }, notify: false }) as const
const group = (groupId: string) => ({ kind: { case: 'group', value: { groupId } }, notify: false }) as const
const manager = { kind: { case: 'manager' }, notify: true } as const

const drafted = (...steps: StepInput[]): ApprovalProcedureDraft => ({
  accessPolicyId,
  steps,
  stages: [],
  timeoutSeconds: 0,
  violations: [],
})
const violation = (field: string) => ({ field, description: 'is too long', reason: 'FIELD_INVALID' }) as const

interface Printed {
  readonly id: string
  readonly timeoutSeconds: number
  readonly steps: readonly { readonly id: string }[]
}

describe('an approval procedure', () => {
  let test: TestDatabase
  let database: Database
  let first: Printed

  beforeAll(async () => {
    test = await createTestDatabase()
    database = test.open()
    await insertFixture(database)
  })
  beforeEach(async () => {
    first = await create(drafted(stepOf(manager), stepOf(user(users.manager)), stepOf(manager)))
  })
  afterAll(() => test.drop())

  const create = async (draft: ApprovalProcedureDraft): Promise<Printed> =>
    JSON.parse((await createApprovalProcedure(scopeOn(database, caller), draft)).json)
  const update = async (draft: ApprovalProcedureDraft, id = first.id): Promise<Printed> =>
    JSON.parse((await updateApprovalProcedure(scopeOn(database, caller), { ...draft, id })).json)
  const idsOf = ({ steps }: Printed) => steps.map(({ id }) => id)
  const countProcedures = async () => (await database.query('SELECT FROM approval_procedures')).length

  it('has the timeout that was asked for, or the default', async () => {
    expect(first.timeoutSeconds).toBe(DEFAULT_TIMEOUT_SECONDS)
    expect((await update({ ...drafted(stepOf(manager)), timeoutSeconds: 301 })).timeoutSeconds).toBe(301)
    expect((await update(drafted(stepOf(manager)))).timeoutSeconds).toBe(DEFAULT_TIMEOUT_SECONDS)
  })

  it('keeps the ids of steps that stay as they are, each once, wherever they are now', async () => {
    const [one, two, three] = idsOf(first)
    const changed = await update(
      drafted(stepOf(user(users.manager)), stepOf(manager), stepOf(group(groups.it)), stepOf(manager), stepOf(manager)),
    )
    const [, , added, , another] = idsOf(changed)
    expect(idsOf(changed)).toEqual([two, one, added, three, another])
    expect(new Set(idsOf(changed)).size).toBe(5)
  })

  it('names approvers of the organization; others are refused, each by its place, and nothing is written', async () => {
    const before = await countProcedures()
    const draft = drafted(
      stepOf(user(users.manager), user('nobody'), group(groups.it)),
      stepOf(group(groups.globex), manager, user(users.globexAdmin)),
    )
    const refused = (noun: string) => `no such ${noun} in the organization: send the id of one of its ${noun}s`
    const reason = 'APPROVER_NOT_FOUND'
    const violations = [
      { field: 'steps[0].approvers[1].user.userId', description: refused('user'), reason },
      { field: 'steps[1].approvers[0].group.groupId', description: refused('group'), reason },
      { field: 'steps[1].approvers[2].user.userId', description: refused('user'), reason },
    ]
    for (const attempt of [() => create(draft), () => update(draft)])
      await expect(attempt()).rejects.toMatchObject({ violations })
    expect(await countProcedures()).toBe(before)
  })

  it.each(['accessPolicyId', 'id'])('is not looked for by an invalid %s', async (field) => {
    const violations = [violation(field)]
    const draft = { ...drafted(), accessPolicyId: 'nowhere', violations: [...violations, violation('timeoutSeconds')] }
    for (const attempt of [() => create(draft), () => update(draft)]) {
      await expect(attempt()).rejects.toMatchObject({ reason: 'FIELD_INVALID', violations })
    }
  })

  it('is of a policy that exists, whatever else is wrong', async () => {
    const draft = { ...drafted(), accessPolicyId: 'nowhere', violations: [violation('timeoutSeconds')] }
    await expect(create(draft)).rejects.toMatchObject({ reason: 'RESOURCE_NOT_FOUND' })
    await expect(update(drafted(stepOf(manager)), 'nothing')).rejects.toMatchObject({ reason: 'RESOURCE_NOT_FOUND' })
  })

  it('breaks its limits and its own shape at once, before its approvers are looked for', async () => {
    const draft = {
      ...drafted(stepOf(manager)),
      stages: [{ steps: [stepOf(user('nobody'))] }],
      violations: [violation('timeoutSeconds')],
    }
    const fields = [
      expect.objectContaining({ field: 'timeoutSeconds' }),
      expect.objectContaining({ reason: 'STEPS_DIFFER_FROM_STAGES' }),
    ]
    await expect(create(draft)).rejects.toMatchObject({ violations: fields })
  })
})
