import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type ConsolePage, startTestConsole, type TestConsole } from '../support/console.js'
import { pick } from '../support/console-writes.js'

let console: TestConsole
let opened: ConsolePage
beforeAll(async () => {
  console = await startTestConsole()
  opened = await console.open('/teams/team_it', await console.token())
  await opened.page.getByRole('heading', { level: 1, name: 'IT Operations' }).waitFor()
})
afterAll(() => console.stop())

describe('the dialogs of the console', () => {
  /** Opens a dialog by the keyboard. */
  async function press(path: string, name: string) {
    const { page, go } = opened
    const isThere = new URL(page.url()).pathname === `/console${path}`
    await go(path)
    // Another screen takes the focus once it is shown.
    if (!isThere) await page.locator('h1:focus').waitFor()
    await page.getByRole('button', { name, exact: true, disabled: false }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    return dialog
  }

  it('keep what is typed where what is not loaded yet is gone, as after an update of the service', async () => {
    const { page, close } = await console.open('/teams/team_it', await console.token())
    await page.getByRole('button', { name: 'Edit' }).click()
    const name = page.getByRole('dialog').getByLabel('Name', { exact: true })
    const loaded = page.waitForResponse(/\/palette-/)
    await name.pressSequentially(' kept')
    await loaded
    await page.route(/\.js$/, (route) => route.abort())
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Find anything' }).waitFor()
    await page.keyboard.press('Escape')
    expect(await name.inputValue()).toContain(' kept')
    await close()
  })

  it('give the focus to their first field, whatever stands before it', async () => {
    for (const [path, name, label] of [
      ['/teams/team_it', 'Change the role of Chidi Okafor in IT Operations', 'Role'],
      ['/people/user_hanna', 'Add to a team', 'Team'],
      ['/resources', 'Edit as a table', 'Name of arm-control'],
      ['/apps/app_forge', 'Edit', 'Name'],
    ] as const) {
      const dialog = await press(path, name)
      await dialog.getByLabel(label, { exact: true }).and(opened.page.locator(':focus')).first().waitFor()
      await opened.page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await opened.page.getByRole('button', { name, exact: true }).and(opened.page.locator(':focus')).waitFor()
    }
  })

  it('are closed by Escape in a field that has a choice, which is not taken away', async () => {
    const dialog = await press('/people/user_hanna', 'Change the manager')
    const field = dialog.getByRole('combobox', { name: 'Manager' })
    await field.and(opened.page.locator(':focus')).waitFor()
    // The first closes the list that is searched.
    await field.fill('Chi')
    await opened.page.getByRole('option', { name: /Chidi Okafor/ }).waitFor()
    await opened.page.keyboard.press('Escape')
    await opened.page.getByRole('option').first().waitFor({ state: 'detached' })
    expect(await field.inputValue()).not.toBe('')
    await opened.page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it('ask before a choice is lost, and after that only', async () => {
    const { page } = opened
    const question = page.getByRole('dialog', { name: 'Discard what you have typed?' })
    const discard = question.getByRole('button', { name: 'Discard changes' })
    const name = 'Change the role of Chidi Okafor in IT Operations'
    await (await press('/teams/team_it', name)).getByLabel('Role').selectOption('Manager')
    await page.keyboard.press('Escape')
    await discard.click()
    await page.getByRole('dialog').first().waitFor({ state: 'detached' })
    const app = await press('/apps/app_forge', 'Edit')
    await pick(app, 'Default access policy', 'Visitors')
    await page.keyboard.press('Escape')
    await discard.click()
    await page.getByRole('dialog').first().waitFor({ state: 'detached' })
    expect(opened.complaints).toEqual([])
  })

  it('say what was done, and what is deleted is not read again', async () => {
    const { page } = opened
    const dialog = await press('/priorities', 'Create a priority')
    await dialog.getByLabel('Name', { exact: true }).fill('Whenever')
    await dialog.getByLabel('Priority', { exact: true }).fill('P9')
    await pick(dialog, 'Team', 'IT Operations')
    await dialog.getByRole('button', { name: 'Review' }).click()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('status').filter({ hasText: 'Priority created.' }).waitFor()
    await page.getByRole('heading', { level: 1, name: 'Whenever' }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('status').filter({ hasText: 'Whenever deleted.' }).waitFor()
    await page.getByRole('link', { name: 'Urgent' }).waitFor()
    expect(opened.complaints).toEqual([])
  })
})
