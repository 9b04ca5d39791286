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
    await page.waitForFunction('document.activeElement.closest("[role=dialog]") !== null')
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
    await page.getByRole('button', { name: 'Add a condition', exact: true }).click()
    const condition = page.getByRole('group', { name: 'Conditions 3' })
    await condition.getByLabel('ID', { exact: true }).fill('weekend')
    await condition.getByLabel('Condition type').selectOption('Pause')
    await condition.getByRole('button', { name: 'Add a condition rule' }).click()
    await condition.getByLabel('Values').fill('saturday\nsunday\n')
    await page.getByRole('button', { name: 'Remove condition 2' }).click()
    expect(await findingsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Review' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('row', { name: /^Conditions .*The clock pauses when .* saturday or sunday/ }).waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { json } = await console.service.rest('GET', '/v2/sla-definitions/sla_resolution', {
      token: await console.token(),
    })
    expect(json.data.conditions).toMatchObject([
      { id: 'waiting', conditionRule: { values: ['waiting_for_requester', 'waiting_for_vendor'] } },
      { id: 'weekend', conditionType: 'SLA_CONDITION_TYPE_PAUSE', conditionRule: { values: ['saturday', 'sunday'] } },
    ])
  })

  it('give an app instance an agent card, and take it away', async () => {
    const { page, go } = opened
    await go('/apps/app_directory')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Add an A2A agent card' }).click()
    const card = page.getByRole('group', { name: 'A2A agent card' }).first()
    await card.getByLabel('Name', { exact: true }).fill('Helper')
    await card.getByRole('button', { name: 'Add a skill' }).click()
    await page.getByRole('group', { name: 'Skills 1' }).getByLabel('Name', { exact: true }).fill('Answers')
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('Answers').waitFor()
    const token = await console.token()
    const { json } = await console.service.rest('GET', '/v2/app-instances/app_directory', { token })
    expect(json.data.a2aAgentCard).toMatchObject({ name: 'Helper', skills: [{ name: 'Answers' }] })
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Remove A2A agent card' }).click()
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('Answers').waitFor({ state: 'detached' })
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
    await dialog.getByRole('row', { name: /^Stage 3 Workflow workflow_risk_score .* Group Budget Owners/ }).waitFor()
    await dialog.getByRole('row', { name: /^Stage 4 – Workflow workflow_risk_score/ }).waitFor()
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

  it('change the criteria and the actions of an SLA definition', async () => {
    const { page, go } = opened
    await go('/slas/sla_resolution')
    await page.getByRole('button', { name: 'Edit' }).click()
    const before = await stored('/v2/sla-definitions/sla_resolution')
    const place = before.attachmentCriteria.length + 1
    await page.getByRole('button', { name: 'Add an attachment criterion' }).click()
    const criterion = page.getByRole('group', { name: `Attachment criteria ${place}` })
    await criterion.getByLabel('Field', { exact: true }).fill('priority')
    await criterion.getByLabel('Comparison', { exact: true }).selectOption('is one of')
    await criterion.getByLabel('Values', { exact: true }).fill('P1\nP2')
    await page.getByRole('button', { name: 'Add an action definition' }).click()
    const action = page.getByRole('group', { name: `Action definitions ${before.actionDefinitions.length + 1}` })
    await action.getByLabel('ID', { exact: true }).fill('page-somebody')
    await action.getByLabel('Workflow', { exact: true }).fill('workflow_page')
    expect(await findingsOf(page)).toEqual([])
    await save()
    const { attachmentCriteria, actionDefinitions } = await stored('/v2/sla-definitions/sla_resolution')
    expect(attachmentCriteria).toEqual([
      ...before.attachmentCriteria,
      { type: '', field: 'priority', op: 'in', value: '', values: ['P1', 'P2'], logicOp: '' },
    ])
    expect(actionDefinitions.at(-1)).toMatchObject({ id: 'page-somebody', workflowId: 'workflow_page' })
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('button', { name: `Remove attachment criterion ${place}` }).click()
    await page.getByRole('button', { name: `Remove action definition ${before.actionDefinitions.length + 1}` }).click()
    await save()
    const after = await stored('/v2/sla-definitions/sla_resolution')
    const idsOf = (actions: readonly { readonly id: string }[]) => actions.map(({ id }) => id)
    expect(after.attachmentCriteria).toEqual(before.attachmentCriteria)
    expect(idsOf(after.actionDefinitions)).toEqual(idsOf(before.actionDefinitions))
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
    await second.getByLabel('ID of the workflow').fill('workflow_check')
    expect(await findingsOf(page)).toEqual([])
    await save('Create')
    await page.getByText('workflow_check').waitFor()
    const procedures = await stored('/v2/access-policies/policy_standard/approval-procedures')
    expect(procedures.at(-1).stages).toMatchObject([
      { steps: [{ approvers: [{ user: { userId: 'user_goro' }, notify: true }] }] },
      { steps: [{ approvers: [], customWorkflow: { workflowId: 'workflow_check' } }] },
    ])
    expect(opened.complaints).toEqual([])
  })
})
