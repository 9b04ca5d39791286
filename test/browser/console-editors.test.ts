import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { findingsOf } from '../support/axe.js'
import { type ConsolePage, startTestConsole, type TestConsole } from '../support/console.js'
import { pick } from '../support/console-writes.js'

let console: TestConsole
let opened: ConsolePage
beforeAll(async () => {
  console = await startTestConsole()
  opened = await console.open('/people/changes', await console.token())
})
afterAll(() => console.stop())

/** What the service has. */
const stored = async (path: string) =>
  (await console.service.rest('GET', path, { token: await console.token() })).json.data

/** Saves what a form has, after what it changes was shown. */
async function save(confirm = 'Save'): Promise<void> {
  const { page } = opened
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('dialog').getByRole('button', { name: confirm, exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

describe('the forms of the console', () => {
  it('say why a button cannot be used where the focus is, and keep the button when it can', async () => {
    const { page, close } = await console.open('/apps/app_forge', await console.token())
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.locator('[role=dialog]:focus, [role=dialog] :focus').waitFor()
    const review = page.getByRole('button', { name: 'Review' })
    const element = await review.elementHandle()
    const why = page.getByText(String(await review.getAttribute('aria-description')), { exact: true })
    await review.hover()
    await why.hover()
    expect(await why.isVisible()).toBe(true)
    await page.getByLabel('Name', { exact: true }).first().hover()
    await why.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Cancel' }).focus()
    await page.keyboard.press('Tab')
    await why.waitFor()
    await page.keyboard.press('Escape')
    await why.waitFor({ state: 'detached' })
    expect(await page.getByRole('dialog').isVisible()).toBe(true)
    await page.getByLabel('Name', { exact: true }).first().fill('Smithy')
    await review.and(page.locator(':not([aria-disabled])')).waitFor()
    expect(await element?.isVisible()).toBe(true)
    await close()
  })

  it('change the conditions of an SLA definition', async () => {
    const { page, go } = opened
    await go('/slas/sla_resolution')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Add a clock rule' }).click()
    const condition = page.getByRole('group', { name: 'Clock rule 3' })
    await condition.getByLabel('What the clock does').selectOption('pauses')
    expect(await condition.getByLabel('Field', { exact: true }).locator('option:checked').textContent()).toBe('Choose')
    await condition.getByLabel('Field', { exact: true }).selectOption('Status')
    await condition.getByLabel('Comparison', { exact: true }).selectOption('is one of')
    const value = condition.getByLabel('Value', { exact: true })
    await value.fill('saturday')
    await value.press('Enter')
    // What is typed counts when the field is left, too.
    await value.fill('sunday')
    await page.getByRole('button', { name: 'Remove clock rule 2' }).click()
    await page.getByLabel('Within').fill('20')
    expect(await findingsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Review' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByRole('row', { name: /^Clock .*The clock pauses when Status is one of saturday or sunday/ })
      .waitFor()
    await dialog.getByRole('row', { name: /^Promise .* within 16 hours of .* within 20 hours of / }).waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { json } = await console.service.rest('GET', '/v2/sla-definitions/sla_resolution', {
      token: await console.token(),
    })
    expect(json.data.conditions).toMatchObject([
      { id: 'waiting', conditionRule: { values: ['waiting_for_requester', 'waiting_for_vendor'] } },
      { conditionType: 'SLA_CONDITION_TYPE_PAUSE', conditionRule: { field: 'status', values: ['saturday', 'sunday'] } },
    ])
  })

  it('give an app instance an agent card, and take it away', async () => {
    const { page, go } = opened
    await go('/apps/app_directory')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Add an agent card' }).click()
    const card = page.getByRole('group', { name: 'Agent card' })
    await card.getByLabel('Name', { exact: true }).fill('Helper')
    await card.getByRole('button', { name: 'Add a skill' }).click()
    await page.getByRole('group', { name: 'Skill 1' }).getByLabel('Name', { exact: true }).fill('Answers')
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('Answers').waitFor()
    const token = await console.token()
    const { json } = await console.service.rest('GET', '/v2/app-instances/app_directory', { token })
    expect(json.data.a2aAgentCard).toMatchObject({ name: 'Helper', skills: [{ name: 'Answers' }] })
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Remove agent card' }).click()
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('Answers').waitFor({ state: 'detached' })
  })

  it('offer services, tags and sets of SLAs that are used already, by name, and take others', async () => {
    const { page, go } = opened
    await go('/apps/app_badges')
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await pick(dialog, 'Service', 'PayD')
    expect(await dialog.getByLabel('Service ID').inputValue()).toBe('service_payroll')
    await dialog.getByRole('button', { name: 'Remove Visitors' }).click()
    const tags = dialog.getByLabel('Tags', { exact: true })
    // The letters by which a tag is found are none themselves.
    await pick(dialog, 'Tags', 'Crit')
    await tags.fill('tag_field_work')
    await tags.press('Enter')
    await tags.fill('tag_left_open')
    expect(await findingsOf(page)).toEqual([])
    await save()
    expect(await stored('/v2/app-instances/app_badges')).toMatchObject({
      customServiceId: 'service_payroll',
      customServiceName: 'PayDay',
      tagIds: ['tag_critical', 'tag_field_work', 'tag_left_open'],
    })
    await go('/slas/sla_resolution')
    await page.getByRole('button', { name: 'Edit' }).click()
    await pick(dialog, 'Set of SLAs', 'respon')
    await save()
    expect(await stored('/v2/sla-definitions/sla_resolution')).toMatchObject({ policyGroup: 'response' })
  })

  it('change a procedure stage by stage', async () => {
    const { page, go } = opened
    await go('/policies/policy_production')
    await page.getByRole('button', { name: 'Edit the procedure' }).click()
    await page.getByRole('button', { name: 'Add a stage' }).click()
    const stage = page.getByRole('group', { name: 'Stage 4' })
    await stage.getByLabel('Approver', { exact: true }).selectOption('Every member of a group')
    await pick(stage, 'Group', 'Budget Owners')
    await stage.getByLabel('A reason').selectOption('Is required')
    await page.getByRole('button', { name: 'Move stage 4 up' }).click()
    expect(await findingsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Review' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change the procedure' })
    await dialog.getByRole('row', { name: /^Stage 3 The workflow Risk score .* Members of Budget Owners/ }).waitFor()
    await dialog.getByRole('row', { name: /^Stage 4 – The workflow Risk score/ }).waitFor()
    expect(await dialog.getByRole('row', { name: /^Stage [12]/ }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const path = '/v2/access-policies/policy_production/approval-procedures/procedure_production'
    const { json } = await console.service.rest('GET', path, { token: await console.token() })
    const [, , third] = json.data.stages
    expect(third.steps).toMatchObject([
      { approvers: [{ group: { groupId: 'group_finance' }, notify: true }], approverJustificationMode: 'REQUIRED' },
    ])
    expect(json.data.stages).toHaveLength(4)
  })

  it('say at the fields of a procedure what the schema and the service refuse, once', async () => {
    const { page, go } = opened
    const token = await console.token()
    const { json: created } = await console.service.rest('POST', '/v2/groups', { token, json: { name: 'Short-lived' } })
    await go('/policies/policy_standard')
    await page.getByRole('button', { name: 'Create a procedure' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a procedure' })
    const review = dialog.getByRole('button', { name: 'Review' })
    const faults = () => dialog.getByRole('alert').allTextContents()
    const timeout = dialog.getByLabel('Each step times out after')
    await timeout.fill('91')
    await dialog.getByText('Must be at least 5 minutes and at most 90 days.').waitFor()
    expect(await timeout.getAttribute('aria-invalid')).toBe('true')
    expect(await review.getAttribute('aria-disabled')).toBe('true')
    // None is the usual time.
    await timeout.fill('')
    const stage = dialog.getByRole('group', { name: 'Stage 1' })
    await stage.getByLabel('Decided by').selectOption('A workflow')
    await stage.getByLabel('Workflow', { exact: true }).fill('w'.repeat(256))
    await dialog.getByText('Must be at most 255 characters.').waitFor()
    await stage.getByLabel('Decided by').selectOption('People')
    await stage.getByLabel('Approver', { exact: true }).selectOption('Every member of a group')
    // What is only missing is said once the form is to be reviewed.
    expect(await faults()).toEqual([])
    await review.click()
    await dialog.getByText('This is required.').waitFor()
    expect(await faults()).toEqual(['This is required.'])
    await pick(stage, 'Group', 'Short-lived')
    await dialog.getByText('This is required.').waitFor({ state: 'detached' })
    await review.click()
    await dialog.getByRole('row', { name: /^Times out after – 30 days/ }).waitFor()
    await console.service.rest('DELETE', `/v2/groups/${created.data.id}`, { token })
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await stage.getByText(/^No such group in the organization/).waitFor()
    expect(await faults()).toHaveLength(1)
    expect(await stage.getByLabel('Group', { exact: true }).getAttribute('aria-invalid')).toBe('true')
    await stage.getByLabel('Approver', { exact: true }).selectOption('The owner of the app')
    expect(await faults()).toEqual([])
    for (let steps = 1; steps < 51; steps++) {
      await stage.getByRole('button', { name: 'Add a parallel step' }).click()
    }
    await dialog.getByText('There must be at most 50.').waitFor()
    expect(await faults()).toEqual(['There must be at most 50.'])
    await stage.getByRole('button', { name: 'Remove step 1.51' }).click()
    await review.and(page.locator(':not([aria-disabled])')).waitFor()
    await dialog.getByRole('button', { name: 'Add a stage' }).click()
    await dialog.getByText('There must be at most 50.').waitFor()
    expect(await faults()).toEqual(['There must be at most 50.'])
    await dialog.getByRole('button', { name: 'Discard changes' }).click()
    await dialog.waitFor({ state: 'detached' })
    // What the browser says of the refusal.
    expect(opened.complaints.splice(0)).toEqual([expect.stringContaining('400')])
  })

  it('say of a number that it is too large, and of a position that it is none', async () => {
    const { page, go } = opened
    await go('/ingestion/config_devices')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('How often').fill('99999999999')
    await page.getByText('Too large.').waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
  })

  it('say and change what an ingestion config brings in as a sentence', async () => {
    const { page, go } = opened
    await go('/ingestion/config_devices')
    const said =
      'Off: every day, the workflow Read devices (not published) brings in everything from Remote Access, as entities ' +
      'of the type Device. What is deleted there is deleted here as well.'
    await page.getByText(said).waitFor()
    expect(await page.getByText(/workflow_|app_vpn|type_device|yncDeletions/).count()).toBe(0)
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('State').selectOption('On')
    await dialog.getByLabel('What', { exact: true }).selectOption('what has changed since the last time')
    await dialog.getByLabel('Deletions').selectOption('stays here')
    await dialog.getByLabel('Workflow', { exact: true }).fill('Read employees')
    expect(await findingsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Review' }).click()
    const row = /^Ingestion Off: .* everything .* is deleted here as well On: .* since the last time .* stays here$/
    await dialog.getByRole('row', { name: row }).waitFor()
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await stored('/v2/entity-ingestion-configs/config_devices')).toMatchObject({
      workflowId: 'workflow_ingest_people',
      workflowName: 'Read employees',
      enabled: true,
      hasIngestionContext: true,
      syncDeletions: false,
      syncIntervalSeconds: 86_400,
    })
    await go('/ingestion/config_visitors')
    await page.getByText('Off: whenever it is started, the workflow Read visitors').waitFor()
  })

  it('show in the lists of teams and groups how many people are in each', async () => {
    const { page, go } = opened
    await go('/teams')
    await page.getByRole('row', { name: /^IT Operations \d+/ }).waitFor()
    await go('/groups')
    await page.getByRole('row', { name: /^Budget Owners \d+ No/ }).waitFor()
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('owners b')
    await page.getByText('1 in all').waitFor()
    await page.getByRole('link', { name: 'Budget Owners' }).click()
    await page.getByText(/^\d+ (?:person|people)$/).waitFor()
  })

  it('change the criteria and the actions of an SLA definition', async () => {
    const { page, go } = opened
    await go('/slas/sla_resolution')
    await page.getByRole('button', { name: 'Edit' }).click()
    const before = await stored('/v2/sla-definitions/sla_resolution')
    const place = before.attachmentCriteria.length + 1
    await page.getByRole('button', { name: 'Add a comparison' }).click()
    const criterion = page.getByRole('group', { name: `Comparison ${place}` })
    await criterion.getByLabel('Field', { exact: true }).selectOption('Requester')
    await criterion.getByLabel('Comparison', { exact: true }).selectOption('is none of')
    await pick(criterion, 'Value', 'Goro Tanaka')
    await pick(criterion, 'Value', 'Ada Lindqvist')
    await page.getByRole('button', { name: 'Add a workflow' }).click()
    const action = page.getByRole('group', { name: `Workflow ${before.actionDefinitions.length + 1}` })
    await action.getByLabel('Before or after').selectOption('after')
    await action.getByLabel('How long').fill('3')
    await action.getByLabel('Workflow', { exact: true }).fill('Escalate')
    expect(await findingsOf(page)).toEqual([])
    await save()
    const { attachmentCriteria, actionDefinitions } = await stored('/v2/sla-definitions/sla_resolution')
    expect(attachmentCriteria).toEqual([
      ...before.attachmentCriteria.slice(0, -1),
      { ...before.attachmentCriteria.at(-1), logicOp: 'AND' },
      { type: 'field', field: 'requester', op: 'not_in', value: '', values: ['user_goro', 'user_ada'], logicOp: '' },
    ])
    expect(actionDefinitions.at(-1)).toMatchObject({ workflowId: 'workflow_escalate', offsetSeconds: 10_800 })
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('button', { name: `Remove comparison ${place}` }).click()
    await page.getByRole('button', { name: `Remove workflow ${before.actionDefinitions.length + 1}` }).click()
    await save()
    const after = await stored('/v2/sla-definitions/sla_resolution')
    const idsOf = (actions: readonly { readonly id: string }[]) => actions.map(({ id }) => id)
    expect(after.attachmentCriteria).toEqual(before.attachmentCriteria)
    expect(idsOf(after.actionDefinitions)).toEqual(idsOf(before.actionDefinitions))
  })

  it('leave what no sentence says to JSON, and say what is wrong with it', async () => {
    const { page, go } = opened
    await go('/slas/sla_people_response')
    await page.getByRole('button', { name: 'Edit' }).click()
    const group = page.getByRole('group', { name: 'Applies to tickets where' })
    await group.getByText('Advanced').click()
    const json = group.getByLabel('Applies to tickets where as JSON')
    await json.fill('[{"field": "building", "op": ')
    await group.getByRole('alert').first().waitFor()
    expect(await page.getByRole('button', { name: 'Review' }).getAttribute('aria-disabled')).toBe('true')
    await json.fill('[{"type": "custom", "field": "building", "op": "eq", "value": "B1"}]')
    await group.getByRole('group', { name: 'Comparison 1' }).getByLabel('Value').waitFor()
    await save()
    const { attachmentCriteria } = await stored('/v2/sla-definitions/sla_people_response')
    expect(attachmentCriteria).toMatchObject([{ type: 'custom', field: 'building', op: 'eq', value: 'B1' }])
  })

  it('rename a policy, and create a procedure for it that people and a workflow decide', async () => {
    const { page, go } = opened
    await go('/policies/policy_standard')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Name', { exact: true }).fill('Usual access')
    await save()
    await page.getByRole('heading', { level: 1, name: 'Usual access' }).waitFor()
    await page.getByRole('button', { name: 'Create a procedure' }).click()
    const first = page.getByRole('group', { name: 'Stage 1' })
    await first.getByLabel('Approver', { exact: true }).selectOption('A person')
    await pick(first, 'Person', 'Goro Tanaka')
    await page.getByRole('button', { name: 'Add a stage' }).click()
    const second = page.getByRole('group', { name: 'Stage 2' })
    await second.getByLabel('Decided by').selectOption('A workflow')
    await second.getByLabel('Workflow', { exact: true }).fill('workflow_check')
    expect(await findingsOf(page)).toEqual([])
    await save('Create')
    await page.getByText('The workflow Check').waitFor()
    const procedures = await stored('/v2/access-policies/policy_standard/approval-procedures')
    expect(procedures.at(-1).stages).toMatchObject([
      { steps: [{ approvers: [{ user: { userId: 'user_goro' }, notify: true }] }] },
      { steps: [{ approvers: [], customWorkflow: { workflowId: 'workflow_check' } }] },
    ])
    expect(opened.complaints).toEqual([])
  })
})
