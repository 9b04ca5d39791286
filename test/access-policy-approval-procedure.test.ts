import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture, insertRow, insertUserToken } from './support/fixture.js'
import { callMethod, formsOf, type Outcome, protocols, type RequestJson } from './support/method-forms.js'
import { guardPlaces, stateOf } from './support/place-guards.js'
import { startTestService, type TestService } from './support/service.js'

const create = formsOf('CreateAccessPolicyApprovalProcedure')
const update = formsOf('UpdateAccessPolicyApprovalProcedure')
const get = formsOf('GetAccessPolicyApprovalProcedure')

/** Both take the same procedures; an update names the one to replace. */
const operations = [
  ['creating', 'create', create, undefined],
  ['replacing', 'update', update, { ...fixture.approvalProcedures, nowhere: 'unknown' }],
] as const

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const owner = { approvers: [{ appOwner: {} }] }
const workflow = { customWorkflow: { workflowId: 'workflow-1' } }
const byUser = (userId: string) => ({ approvers: [{ user: { userId } }] })
const byGroup = (groupId: string) => ({ approvers: [{ group: { groupId } }] })

/** A step as it is answered; `id` is any. */
const answered = (step: RequestJson) => ({
  id: expect.stringMatching(uuidV7),
  allowSelfApproval: true,
  approvers: [],
  approverJustificationMode: '',
  suppressNotifications: false,
  autoApproveSelf: false,
  ...step,
})
const ownerAnswered = answered({ approvers: [{ appOwner: {}, notify: false }] })

describe.each(operations)('%s an approval procedure', (_, verb, method, replaced) => {
  let service: TestService
  let token: string

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    token = await insertUserToken(service.database, { userId: fixture.users.builder })
  })
  afterAll(() => service.stop())

  describe.each(protocols)('over %s', (protocol) => {
    const send = (body: RequestJson, accessPolicyId: string = fixture.accessPolicies.it) => {
      const named = { accessPolicyId, ...(replaced && { id: replaced.it }) }
      return callMethod(service, method, { protocol, token, request: { ...named, ...body } })
    }
    const created = async (body: RequestJson) => {
      const { answer } = await send(body)
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      return answer.json.data
    }
    const refused = async (body: RequestJson, expected: Partial<Outcome>, accessPolicyId?: string) => {
      const before = await stateOf(service)
      const outcome = await send(body, accessPolicyId)
      expect(outcome).toMatchObject(expected)
      expect(await stateOf(service)).toEqual(before)
      return outcome
    }
    const invalid = (reason: string, ...fields: string[]) => ({ status: 400, code: 'invalid_argument', reason, fields })

    it('returns the procedure with its stages, the same steps as a flat list, and new ids', async () => {
      const full = {
        allowSelfApproval: false,
        approverJustificationMode: 'REQUIRED',
        suppressNotifications: true,
        autoApproveSelf: true,
        approvers: [
          { appOwner: {}, notify: true },
          { manager: {}, notify: false },
          { user: { userId: fixture.users.viewer }, notify: true },
          { group: { groupId: fixture.groups.it }, notify: false },
        ],
      }
      const stages = [{ steps: [full, workflow] }, { steps: [owner] }]
      const procedure = await created({ stages, timeoutSeconds: 300 })
      expect(procedure).toEqual({
        id: replaced?.it ?? expect.stringMatching(uuidV7),
        accessPolicyId: fixture.accessPolicies.it,
        timeoutSeconds: 300,
        stages: [{ steps: [answered(full), answered(workflow)] }, { steps: [ownerAnswered] }],
        steps: [answered(full), answered(workflow), ownerAnswered],
      })
      const ids = procedure.steps.map((step: { id: string }) => step.id)
      expect(new Set(ids).size).toBe(3)
      const staged = procedure.stages.flatMap(({ steps }: { steps: { id: string }[] }) => steps.map((step) => step.id))
      expect(staged).toEqual(ids)
    })

    it('stores what it returns', async () => {
      const { id, stages } = await created({
        stages: [{ steps: [workflow] }, { steps: [byGroup(fixture.groups.it), byUser(fixture.users.viewer)] }],
      })
      const { database } = service
      expect(await database.query('SELECT * FROM approval_procedures WHERE id = $1', [id])).toMatchObject([
        { organization_id: fixture.acme, access_policy_id: fixture.accessPolicies.it, timeout_seconds: 2_592_000 },
      ])
      const steps = await database.query(
        `SELECT s.id, s.stage_index, s.step_index, s.custom_workflow_id, a.kind, a.user_id, a.group_id
           FROM approval_steps s LEFT JOIN approval_step_approvers a
             ON a.organization_id = $1 AND a.procedure_id = s.procedure_id AND a.step_id = s.id
          WHERE s.organization_id = $1 AND s.procedure_id = $2 ORDER BY s.stage_index, s.step_index`,
        [fixture.acme, id],
      )
      const none = { custom_workflow_id: null, kind: null, user_id: null, group_id: null }
      expect(steps).toEqual([
        { ...none, id: stages[0].steps[0].id, stage_index: 0, step_index: 0, custom_workflow_id: 'workflow-1' },
        {
          ...none,
          id: stages[1].steps[0].id,
          stage_index: 1,
          step_index: 0,
          kind: 'GROUP',
          group_id: fixture.groups.it,
        },
        {
          ...none,
          id: stages[1].steps[1].id,
          stage_index: 1,
          step_index: 1,
          kind: 'USER',
          user_id: fixture.users.viewer,
        },
      ])
    })

    it('turns each step into a stage of its own if only steps are given', async () => {
      const procedure = await created({ steps: [owner, workflow] })
      expect(procedure).toMatchObject({
        stages: [{ steps: [ownerAnswered] }, { steps: [answered(workflow)] }],
        steps: [ownerAnswered, answered(workflow)],
      })
    })

    it('accepts steps that equal the stages as a flat list, with defaults filled in and ids ignored', async () => {
      const spelledOut = {
        id: 'mine',
        allowSelfApproval: true,
        approverJustificationMode: '',
        suppressNotifications: false,
        autoApproveSelf: false,
        approvers: [{ appOwner: {}, notify: false }],
      }
      const procedure = await created({ stages: [{ steps: [owner, workflow] }], steps: [spelledOut, workflow] })
      expect(procedure).toMatchObject({ stages: [{ steps: [ownerAnswered, answered(workflow)] }] })
    })

    it(`${replaced ? 'replaces that procedure' : 'allows any number of procedures per policy'}`, async () => {
      const first = await created({ steps: [owner] })
      const second = await created({ steps: [owner] })
      expect(second.id === first.id).toBe(replaced !== undefined)
    })

    it('records an audit event', async () => {
      await service.database.execute('DELETE FROM audit_events')
      const { answer } = await send({ steps: [owner], timeoutSeconds: 600 })
      const events = await service.database.query('SELECT * FROM audit_events WHERE target_id = $1', [
        answer.json.data.id,
      ])
      expect(events).toEqual([
        expect.objectContaining({
          organization_id: fixture.acme,
          actor_kind: 'USER',
          actor_id: fixture.users.builder,
          team_id: fixture.it,
          action: `approval_procedure.${verb}`,
          target_type: 'approval_procedure',
          request_id: answer.headers.get('x-request-id'),
        }),
      ])
    })

    it.each([
      [undefined, 2_592_000],
      [null, 2_592_000],
      [0, 2_592_000],
      [300, 300],
      [7_776_000, 7_776_000],
    ])('stores the timeout %s as %i seconds', async (timeoutSeconds, stored) => {
      expect(await created({ steps: [owner], timeoutSeconds })).toMatchObject({ timeoutSeconds: stored })
    })

    it.each([299, 1, -1, -2_592_000, 7_776_001, 2_147_483_647])('refuses a timeout of %i', async (timeoutSeconds) => {
      await refused({ steps: [owner], timeoutSeconds }, invalid('TIMEOUT_OUT_OF_RANGE', 'timeoutSeconds'))
    })

    it('refuses a timeout that is not an integer', async () => {
      for (const timeoutSeconds of [300.5, 2_147_483_648, 'soon']) {
        await refused({ steps: [owner], timeoutSeconds }, { status: 400, code: 'invalid_argument' })
      }
    })

    it.each([{}, { steps: [] }, { stages: [] }, { steps: [], stages: [], timeoutSeconds: 300 }])(
      'refuses a procedure with neither steps nor stages: %j',
      async (body) => {
        await refused(body, invalid('STEPS_OR_STAGES_REQUIRED', 'stages'))
      },
    )

    it('refuses a stage without steps', async () => {
      const stages = [{ steps: [owner] }, { steps: [] }, {}]
      await refused({ stages }, invalid('FIELD_REQUIRED', 'stages[1].steps', 'stages[2].steps'))
    })

    it('accepts up to 50 steps, counted over all stages', async () => {
      const steps = (count: number) => Array.from({ length: count }, () => owner)
      expect((await created({ steps: steps(50) })).stages).toHaveLength(50)
      expect((await created({ stages: [{ steps: steps(20) }, { steps: steps(30) }] })).steps).toHaveLength(50)
      await refused({ steps: steps(51) }, invalid('TOO_MANY_STEPS', 'steps'))
      await refused({ stages: [{ steps: steps(20) }, { steps: steps(31) }] }, invalid('TOO_MANY_STEPS', 'stages'))
    })

    it.each([
      ['neither approvers nor a workflow', {}, ''],
      ['approvers and a workflow', { ...owner, ...workflow }, ''],
      [
        'a justification mode of 65 characters',
        { ...owner, approverJustificationMode: 'é'.repeat(65) },
        '.approverJustificationMode',
      ],
      [
        'a justification mode of two lines',
        { ...owner, approverJustificationMode: 'a\nb' },
        '.approverJustificationMode',
      ],
      [
        'a workflow id with a control character',
        { customWorkflow: { workflowId: 'a\u0000b' } },
        '.customWorkflow.workflowId',
      ],
    ])('refuses a step with %s and names the step', async (_, step, field) => {
      await refused({ steps: [owner, step] }, invalid('FIELD_INVALID', `steps[1]${field}`))
      await refused({ stages: [{ steps: [owner, step] }] }, invalid('FIELD_INVALID', `stages[0].steps[1]${field}`))
    })

    it.each([
      ['a workflow without an id', { customWorkflow: {} }, 'customWorkflow.workflowId'],
      ['an approver of no kind', { approvers: [{ appOwner: {} }, { notify: true }] }, 'approvers[1]'],
      ['a user without an id', { approvers: [{ user: {} }] }, 'approvers[0].user.userId'],
      ['a group without an id', { approvers: [{ group: { groupId: '' } }] }, 'approvers[0].group.groupId'],
    ])('refuses %s and names the field', async (_, step, field) => {
      await refused(
        { stages: [{ steps: [step] }] },
        {
          ...invalid('FIELD_REQUIRED', `stages[0].steps[0].${field}`),
        },
      )
    })

    it('refuses more than 1,000 approvers of a step', async () => {
      const steps = [{ approvers: Array.from({ length: 1001 }, () => ({ manager: {} })) }]
      await refused({ steps }, invalid('FIELD_INVALID', 'steps[0].approvers'))
    })

    it('refuses an approver that has two kinds', async () => {
      const step = { approvers: [{ appOwner: {}, manager: {} }] }
      await refused({ steps: [step] }, { status: 400, code: 'invalid_argument' })
    })

    it.each(['NONE', 'OPTIONAL', 'REQUIRED', '', 'none', 'UNSET', ' if denied ', 'é'.repeat(64)])(
      'keeps the justification mode %j as it is',
      async (mode) => {
        const { steps } = await created({ steps: [{ ...owner, approverJustificationMode: mode }] })
        expect(steps[0].approverJustificationMode).toBe(mode)
      },
    )

    it.each([
      ['an unknown user', byUser('unknown'), 'user.userId'],
      ['a user of another organization', byUser(fixture.users.globexAdmin), 'user.userId'],
      ['a group that does not exist', byGroup('unknown'), 'group.groupId'],
      ['a group of another organization', byGroup(fixture.groups.globex), 'group.groupId'],
      ['a group where a user is meant', byUser(fixture.groups.it), 'user.userId'],
    ])('refuses %s as approver and names the field', async (_, step, field) => {
      const stages = [{ steps: [owner] }, { steps: [owner, step] }]
      await refused({ stages }, invalid('APPROVER_NOT_FOUND', `stages[1].steps[1].approvers[0].${field}`))
      await refused({ steps: [step] }, invalid('APPROVER_NOT_FOUND', `steps[0].approvers[0].${field}`))
    })

    it('returns the same error for a foreign and an unknown approver', async () => {
      const missing = await send({ steps: [byUser('unknown')] })
      const foreign = await send({ steps: [byUser(fixture.users.globexAdmin)] })
      expect(foreign.answer.json).toEqual(missing.answer.json)
    })

    it.each([
      ['has fewer steps', [owner], 'steps'],
      ['has more steps', [owner, workflow, owner], 'steps'],
      ['has them in another order', [workflow, owner], 'steps[0].approvers'],
      ['differs in a flag', [owner, { ...workflow, autoApproveSelf: true }], 'steps[1].autoApproveSelf'],
      ['differs in a default', [{ ...owner, allowSelfApproval: false }, workflow], 'steps[0].allowSelfApproval'],
      ['differs in an approver', [{ approvers: [{ manager: {} }] }, workflow], 'steps[0].approvers'],
      [
        'differs in whom it notifies',
        [{ approvers: [{ appOwner: {}, notify: true }] }, workflow],
        'steps[0].approvers',
      ],
      ['differs in a workflow', [owner, { customWorkflow: { workflowId: 'other' } }], 'steps[1].customWorkflow'],
    ])('refuses a flat list of steps that contradicts the stages: it %s', async (_, steps, field) => {
      const stages = [{ steps: [owner] }, { steps: [workflow] }]
      await refused({ stages, steps }, invalid('STEPS_DIFFER_FROM_STAGES', field))
    })

    it('reports every violation, up to a limit', async () => {
      const { fields } = await refused({ steps: [{}, byUser('')], timeoutSeconds: 1 }, { status: 400 })
      expect(fields).toEqual(['steps[0]', 'steps[1].approvers[0].user.userId', 'timeoutSeconds'])
      const stages = Array.from({ length: 1000 }, () => ({}))
      expect((await refused({ stages }, { status: 400 })).fields).toHaveLength(20)
    })

    it('looks up the policy before it validates the steps', async () => {
      const notFound = { status: 404, code: 'not_found', reason: 'RESOURCE_NOT_FOUND' }
      for (const policy of ['unknown', fixture.accessPolicies.people, fixture.accessPolicies.globex]) {
        await refused({ timeoutSeconds: 1 }, notFound, policy)
      }
    })

    it('refuses unknown fields of a step', async () => {
      await refused({ steps: [{ ...owner, allowSelf: true }] }, { status: 400, code: 'invalid_argument' })
    })
  })

  guardPlaces(() => service, {
    method,
    requestFor: (place) => ({
      accessPolicyId: place === 'nowhere' ? 'unknown' : fixture.accessPolicies[place],
      ...(replaced && { id: replaced[place] }),
      steps: [owner],
    }),
    takesKeys: true,
    allowed: ['admin', 'manager', 'builder', 'both'],
  })
})

describe('an approval procedure', () => {
  let service: TestService
  let token: string
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    token = await insertUserToken(service.database, { userId: fixture.users.builder })
    await insertRow(service.database, 'access_policies', {
      id: 'policy-it-2',
      organization_id: fixture.acme,
      team_id: fixture.it,
      name: 'Second',
    })
  })
  afterAll(() => service.stop())

  it.each(protocols)('keeps the ids of steps that stay as they are, wherever they move, over %s', async (protocol) => {
    const put = async (...steps: RequestJson[]) => {
      const request = { accessPolicyId: fixture.accessPolicies.it, id: fixture.approvalProcedures.it, steps }
      const { answer } = await callMethod(service, update, { protocol, token, request })
      return answer.json.data.steps.map(({ id }: { id: string }) => id)
    }
    const user = byUser(fixture.users.viewer)
    const [first, second, third] = await put(owner, workflow, user)
    expect(await put(owner, workflow, user)).toEqual([first, second, third])
    const again = await put(user, owner, { ...workflow, autoApproveSelf: true }, owner)
    expect(again).toEqual([third, first, expect.stringMatching(uuidV7), expect.stringMatching(uuidV7)])
    expect(new Set([...again, second]).size).toBe(5)
  })

  it.each(protocols)('is found only under its own policy, over %s', async (protocol) => {
    for (const method of [get, update]) {
      const request = { accessPolicyId: 'policy-it-2', id: fixture.approvalProcedures.it }
      const outcome = await callMethod(service, method, { protocol, token, request })
      expect(outcome).toMatchObject({ status: 404, reason: 'RESOURCE_NOT_FOUND' })
    }
  })

  guardPlaces(() => service, {
    method: get,
    requestFor: (place) => ({
      accessPolicyId: place === 'nowhere' ? 'unknown' : fixture.accessPolicies[place],
      id: place === 'nowhere' ? 'unknown' : fixture.approvalProcedures[place],
    }),
    takesKeys: true,
    allowed: ['admin', 'manager', 'builder', 'agent', 'contributor', 'viewer', 'guest', 'both'],
  })
})
