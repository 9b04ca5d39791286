import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { startTestConsole, type TestConsole } from '../support/console.js'

let console: TestConsole
beforeAll(async () => {
  console = await startTestConsole()
})
afterAll(() => console.stop())

/** The buttons of a screen that cannot be used, by name with the reason. */
function disabledOn(page: Page): Promise<readonly [string, string][]> {
  return page.evaluate(`[...document.querySelectorAll('main button[aria-disabled=true]')]
    .map((each) => [each.ariaLabel ?? each.textContent, each.ariaDescription])`)
}

describe('the manager of a team', () => {
  it('is told of what only a right over the organization allows, before it is tried', async () => {
    const { page, go, close } = await console.open('/people/user_hanna', await console.token('user_farah'))
    await page.getByRole('heading', { level: 1, name: 'Hanna Schulz' }).waitFor()
    const why = 'You need the permission users:write here.'
    expect(Object.fromEntries(await disabledOn(page))).toMatchObject({
      Deactivate: why,
      'End sessions': why,
      Edit: why,
      'Change the manager': why,
      'Pin First name': why,
    })
    for (const [path, name, permission] of [
      ['/people', 'Add a person', 'users:write'],
      ['/teams', 'Create a team', 'teams:write'],
    ] as const) {
      await go(path)
      await page.getByRole('button', { name }).waitFor()
      expect(await disabledOn(page)).toContainEqual([name, `You need the permission ${permission} here.`])
    }
    // In the own team it can be done.
    await go('/teams/team_people')
    await page.getByRole('button', { name: 'Give a role', disabled: false }).waitFor()
    expect(await disabledOn(page)).toEqual([])
    await close()
  })

  it('finds the own team in the forms of what belongs to one', async () => {
    const { page, go, close } = await console.open('/policies', await console.token('user_farah'))
    for (const [path, name] of [
      ['/policies', 'Create a policy'],
      ['/keys', 'Create an API key'],
    ] as const) {
      await go(path)
      await page.getByRole('button', { name }).click()
      const team = page.getByRole('dialog').getByLabel('Team', { exact: true })
      await expect(team.inputValue()).resolves.toBe('People Operations')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await close()
  })
})

describe('a member without a role', () => {
  it('sees no link that only refuses on the own page, and no second try of what is refused', async () => {
    const { page, complaints, go, close } = await console.open('/people/user_luca', await console.token('user_luca'))
    await page.getByRole('heading', { level: 1, name: 'Luca Ferri' }).waitFor()
    await page.getByText('Who wrote a field, and what was skipped, needs audit:read.').waitFor()
    expect(await page.getByRole('link', { name: /user_ada|Who reports/ }).count()).toBe(0)
    await go('/people/user_hanna')
    const refusal = page.getByRole('alert')
    await refusal.getByText('You have no access to this').waitFor()
    expect(await refusal.getByRole('button').count()).toBe(0)
    complaints.splice(0)
    await close()
  })
})
