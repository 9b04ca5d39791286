import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { startTestConsole, type TestConsole } from '../support/console.js'
import { eventually } from '../support/eventually.js'

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
    await go('/people')
    await page.getByRole('link', { name: 'Hanna Schulz' }).waitFor()
    expect(await page.getByRole('link', { name: 'Change many from a file' }).count()).toBe(0)
    // The directory supplies all that one could write of oneself, and no other team is seen.
    for (const [path, name, reason] of [
      ['/people/user_farah', 'Edit', 'The directory supplies all of it: change it there.'],
      ['/apps/app_learning', 'Share', 'You see no other team to share it with.'],
    ] as const) {
      await go(path)
      await page.getByRole('button', { name, exact: true }).waitFor()
      await eventually(async () => expect(await disabledOn(page)).toContainEqual([name, reason]))
    }
    // In the own team it can be done.
    await go('/teams/team_people')
    await page.getByRole('button', { name: 'Give a role', disabled: false }).waitFor()
    expect(await disabledOn(page)).toEqual([])
    await close()
  })

  it('chooses among the own teams alone in the forms of what belongs to one, and finds the only one there', async () => {
    const forms = [
      ['/policies', 'Create a policy'],
      ['/keys', 'Create an API key'],
      ['/webhooks', 'Create a webhook'],
      // A list that is narrowed by another team.
      ['/apps?teamId=team_it', 'Create an app'],
    ] as const
    const { page, go, close } = await console.open('/policies', await console.token('user_farah'))
    const team = page.getByRole('dialog').getByRole('combobox', { name: 'Team', exact: true })
    const openForm = async ([path, name]: (typeof forms)[number]) => {
      await go(path)
      await page.getByRole('button', { name }).click()
      await team.waitFor()
    }
    for (const form of forms) {
      await openForm(form)
      expect(await team.locator('option').allTextContents()).toEqual(['People Operations'])
      await expect(team.inputValue()).resolves.toBe('team_people')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await close()
    const role = { token: await console.token(), json: { role: 'TEAM_USER_ROLE_MANAGER' } }
    await console.service.rest('PUT', '/v2/teams/team_people/members/user_emre', role)
    await console.service.rest('PUT', '/v2/teams/team_it/members/user_emre', role)
    const other = await console.open('/keys', await console.token('user_emre'))
    await other.page.getByRole('button', { name: 'Create an API key' }).click()
    const dialog = other.page.getByRole('dialog')
    const teams = dialog.getByRole('combobox', { name: 'Team', exact: true })
    const review = dialog.getByRole('button', { name: 'Review' })
    await teams.waitFor()
    expect(await teams.locator('option').allTextContents()).toEqual(['Choose', 'IT Operations', 'People Operations'])
    await expect(review.getAttribute('aria-description')).resolves.toBe('Choose a team.')
    await teams.selectOption('IT Operations')
    await expect(review.getAttribute('aria-description')).resolves.toBe('Choose at least one permission.')
    await other.close()
  })

  it('edits in the table of resources the rows of the own team alone, and is told why', async () => {
    const give = async (team: string, role: string) =>
      console.service.rest('PUT', `/v2/teams/${team}/members/user_goro`, {
        token: await console.token(),
        json: { role },
      })
    await give('team_people', 'TEAM_USER_ROLE_MANAGER')
    await give('team_it', 'TEAM_USER_ROLE_VIEWER')
    const { page, close } = await console.open('/resources', await console.token('user_goro'))
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Edit as a table' }).click()
    const grid = page.getByRole('dialog')
    const names = grid.getByRole('textbox', { name: /^Name of / })
    const field = (name: string) => grid.getByRole('textbox', { name: `Name of ${name}`, exact: true })
    await grid.getByText('arm-control (read only)').waitFor()
    const other = field('arm-control')
    expect(await other.getAttribute('readonly')).not.toBeNull()
    expect(await other.getAttribute('title')).toBe('You need the permission apps:write here.')
    expect(await field('Payroll viewer').getAttribute('readonly')).toBeNull()
    // What is pasted over them leaves them as they are, and the lines stay beside their rows.
    const before = await names.evaluateAll((all) => all.map((each) => String(Reflect.get(each, 'value'))))
    const own = await names.evaluateAll((all) => all.map((each) => !Reflect.get(each, 'readOnly')))
    await page.evaluate(
      `navigator.clipboard.writeText(${JSON.stringify(before.map((_, row) => `Row ${row}`).join('\n'))})`,
    )
    await names.first().focus()
    await page.keyboard.press('ControlOrMeta+v')
    await grid.getByText(/rows of another team stayed as before/).waitFor()
    const after = await names.evaluateAll((all) => all.map((each) => String(Reflect.get(each, 'value'))))
    expect(after).toEqual(before.map((name, row) => (own[row] ? `Row ${row}` : name)))
    await close()
  })

  it('is offered what a key of the kind and of the team can be given, and no more', async () => {
    const { page, close } = await console.open('/keys', await console.token('user_farah'))
    await page.getByRole('button', { name: 'Create an API key' }).click()
    const dialog = page.getByRole('dialog')
    const kind = dialog.getByLabel('Kind')
    await kind.waitFor()
    expect(await kind.locator('option').allTextContents()).toEqual(['Program', 'Worker'])
    expect(await dialog.getByRole('checkbox', { name: /^(?:keys|users|ingestion):/ }).count()).toBe(0)
    const audit = dialog.getByRole('checkbox', { name: 'audit:read' })
    await audit.check()
    await kind.selectOption('Worker')
    const review = dialog.getByRole('button', { name: 'Review' })
    await expect(review.getAttribute('aria-description')).resolves.toBe('Such a key cannot have audit:read.')
    await audit.click()
    await audit.waitFor({ state: 'detached' })
    await dialog.getByRole('checkbox', { name: 'apps:read' }).check()
    await review.click()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('svc_secret_').first().waitFor()
    await close()
    const admin = await console.open('/keys', await console.token())
    await admin.page.getByRole('button', { name: 'Create an API key' }).click()
    const form = admin.page.getByRole('dialog')
    await form.getByRole('checkbox', { name: 'users:write' }).waitFor()
    expect(await form.getByRole('checkbox', { name: /^keys:/ }).count()).toBe(0)
    expect(await form.getByLabel('Kind').locator('option').count()).toBe(3)
    await admin.close()
  })

  it('is not offered what others only share, and cannot take it from a team that is not seen', async () => {
    const { page, go, close } = await console.open('/apps/app_learning', await console.token('user_farah'))
    const name = 'Stop sharing with a team you cannot see'
    await eventually(async () => expect(await disabledOn(page)).toContainEqual([name, 'You cannot see this team.']))
    const options = page.getByRole('option')
    await go('/resources')
    await page.getByRole('button', { name: 'Create a resource' }).click()
    await page.getByRole('dialog').getByRole('combobox', { name: 'App' }).click()
    await options.filter({ hasText: 'Payroll' }).waitFor()
    expect(await options.filter({ hasText: /Forge|Company Directory/ }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find anything' }).fill('l')
    await options.filter({ hasText: 'Learning Hub' }).waitFor()
    expect(
      await options
        .filter({ hasText: 'Remote Access' })
        .and(options.filter({ hasText: /App$/ }))
        .count(),
    ).toBe(0)
    await close()
  })
})

describe('the manager of a team who only reads another one', () => {
  it('is told what that one does not allow, and is offered nothing of it', async () => {
    const role = { token: await console.token(), json: { role: 'TEAM_USER_ROLE_MANAGER' } }
    await console.service.rest('PUT', '/v2/teams/team_it/members/user_dora', role)
    const { page, complaints, go, close } = await console.open('/', await console.token('user_dora'))
    for (const [path, name, permission] of [
      ['/teams/team_people', 'Edit', 'teams:write'],
      ['/teams/team_people', 'Delete', 'teams:write'],
      ['/mappings/mapping_person_email', 'Edit', 'entities:write'],
      ['/mappings/mapping_person_email', 'Delete', 'entities:write'],
      ['/mappings?entityTypeId=type_person', 'Create a field mapping', 'entities:write'],
    ] as const) {
      await go(path)
      const why = [name, `You need the permission ${permission} here.`]
      await eventually(async () => expect(await disabledOn(page)).toContainEqual(why))
    }
    await go('/people/user_hanna')
    await page.getByRole('button', { name: 'Add to a team' }).click()
    await page.getByRole('dialog').getByRole('combobox', { name: 'Team', exact: true }).click()
    await page.getByRole('option', { name: 'IT Operations' }).waitFor()
    expect(await page.getByRole('option').count()).toBe(1)
    expect(complaints).toEqual([])
    await close()
  })
})

describe('what a caller may not see', () => {
  it.each([
    ['/apps', /Forge \(source code\)a team you cannot see/],
    ['/apps?teamId=team_people', /Forge \(source code\)Shared by a team you cannot see/],
    ['/apps/app_learning', /Default access policya policy you cannot see/],
    ['/apps/app_learning', /Shared with.*a team you cannot see/],
    ['/ingestion', /Company Directoryan app you cannot see/],
    ['/ingestion/config_directory_people', /everything from an app you cannot see, as entities/],
    ['/policies/policy_payroll', /Members of a group you cannot see/],
  ])(
    'has words in place of an ID, and no link that leads nowhere, for the manager of a team at %s: %s',
    async (path, words) => {
      const { page, close } = await console.open(path, await console.token('user_farah'))
      const main = page.locator('main')
      await main.filter({ hasText: words }).waitFor()
      // Each part of the screen learns by itself what is hidden.
      await eventually(async () => {
        expect(await main.textContent()).not.toMatch(/team_it|policy_standard|app_directory|group_finance/)
        expect(await main.locator('a[href*=team_it], a[href*=app_forge], a[href*=policy_standard]').count()).toBe(0)
      })
      await close()
    },
  )

  it.each([
    'people',
    'people/changes',
    'people/user_hanna',
    'directory',
    'events',
    'audit',
    'mappings',
    'mappings/mapping_person_email',
    'teams',
    'teams/team_it',
    'groups/group_finance',
    'apps',
    'apps/app_forge',
    'resources',
    'resources/resource_gripper',
    'policies/policy_production',
    'priorities/pri_urgent',
    'slas/sla_resolution',
    'entity-types/type_person',
    'ingestion/config_devices',
    'keys',
    'webhooks',
  ])('is said to a member without a role, who asks the service for nothing of it: %s', async (path) => {
    const { page, complaints, go, close } = await console.open('/', await console.token('user_luca'))
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await go(`/${path}`)
    await page.getByRole('heading', { name: 'You have no access to this' }).waitFor()
    await page.getByText(/^(?:You need the permission \w+:\w+ here|Only administrators can do this)\.$/).waitFor()
    expect(complaints).toEqual([])
    expect(await page.locator('main').locator('input, select').count()).toBe(0)
    await close()
  })
})

describe('a member without a role', () => {
  it('opens a list by its address, and it is not asked for before it is known who they are', async () => {
    const { page, complaints, requested, close } = await console.open('/people', await console.token('user_luca'))
    await page.getByRole('heading', { name: 'You have no access to this' }).waitFor()
    expect(requested.filter((url) => url.endsWith('/ListUsers'))).toEqual([])
    expect(complaints).toEqual([])
    await close()
  })

  it('sees no link that only refuses on the own page, and no second try of what is refused', async () => {
    const { page, complaints, go, close } = await console.open('/people/user_luca', await console.token('user_luca'))
    await page.getByRole('heading', { level: 1, name: 'Luca Ferri' }).waitFor()
    await page.getByText('Who wrote a field, and what was skipped, needs audit:read.').waitFor()
    const refusing = /user_ada|a person|Who reports|^People$|All that this person did/
    expect(await page.locator('main').getByRole('link', { name: refusing }).count()).toBe(0)
    await page.getByText('a person you cannot see').first().waitFor()
    expect(await page.getByText('user_ada').count()).toBe(0)
    expect(await disabledOn(page)).toContainEqual(['Pin Manager', 'You need the permission users:write here.'])
    await go('/people/user_hanna')
    await page.getByText('You have no access to this').waitFor()
    expect(await page.locator('main').getByRole('button').count()).toBe(0)
    await go('/journeys')
    await page.getByLabel('Search by name').waitFor()
    expect(await page.getByRole('combobox', { name: 'Team' }).count()).toBe(0)
    expect(await page.getByLabel('Team', { exact: true }).count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })
})
