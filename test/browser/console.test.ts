import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import papaparse from 'papaparse'
import { findingsOf } from '../support/axe.js'
import { type ConsolePage, startTestConsole, type TestConsole } from '../support/console.js'
import { insertRow, insertUser, insertUserToken } from '../support/fixture.js'
import { openPalette } from '../support/keyboard.js'

let console: TestConsole
let token: string
beforeAll(async () => {
  console = await startTestConsole()
  token = await console.token()
})
afterAll(() => console.stop())

const opened: ConsolePage[] = []
const open = async (path: string, given: string | undefined = token) => {
  const each = await console.open(path, given)
  opened.push(each)
  return each.page
}
const openSignedOut = async (path: string) => {
  const each = await console.open(path)
  opened.push(each)
  return each.page
}
// Whatever a test has done: the policy was kept, no other host was asked, and no token is where others can find it.
afterEach(async () => {
  for (const { page, complaints, requested, close } of opened.splice(0)) {
    const stored = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state])',
    )
    expect(stored).not.toMatch(/svc_user_/)
    expect(requested.filter((url) => !url.startsWith(console.service.baseUrl) || url.includes('svc_user_'))).toEqual([])
    expect(complaints).toEqual([])
    await close()
  }
})

describe('signing in to the console', () => {
  it('takes the token of a link, removes it from the address at once and shows the link’s screen', async () => {
    const page = await open('/people?department=IT')
    await page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
    expect(page.url()).toBe(`${console.service.baseUrl}/console/people?department=IT`)
    expect(await page.getByRole('link', { name: 'Luca Ferri' }).count()).toBe(0)
  })

  it('takes a pasted token, and says what cannot be one', async () => {
    const page = await openSignedOut('/people')
    await page.getByLabel('Token').waitFor()
    expect(await findingsOf(page)).toEqual([])
    await page.getByLabel('Token').fill('hunter2')
    await page.getByRole('button', { name: 'Use this token' }).click()
    await page.getByRole('alert').filter({ hasText: 'A token begins with svc_user_' }).waitFor()
    await page.getByLabel('Token').fill(` Bearer ${token}\n`)
    await page.getByRole('button', { name: 'Use this token' }).click()
    await page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
  })

  it('takes tokens of organizations with ids of every length, until a letter is missing', async () => {
    const { page, close } = await console.open('/people')
    for (const length of [1, 15, 16, 32, 128]) {
      const organizationId = 'o'.repeat(length)
      await insertRow(console.service.database, 'organizations', { id: organizationId, name: 'Other' })
      await insertUser(console.service.database, { id: `user-${length}`, organizationId })
      const whole = await insertUserToken(console.service.database, { userId: `user-${length}`, organizationId })
      await page.getByLabel('Token').fill(whole.slice(0, -1))
      await page.getByRole('button', { name: 'Use this token' }).click()
      await page.getByRole('alert').filter({ hasText: 'A part of this token is missing' }).waitFor()
      await page.getByLabel('Token').fill(whole)
      await page.getByRole('button', { name: 'Use this token' }).click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('Token').waitFor()
    }
    await close()
  })

  it('knows nobody after a reload, and signs out in every tab', async () => {
    const page = await open('/people')
    await page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
    const other = await open('/people')
    await other.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
    await other.getByRole('button', { name: 'Sign out' }).click()
    for (const each of [page, other]) await each.getByRole('button', { name: 'Use this token' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Use this token' }).waitFor()
  })
})

describe('people in the console', () => {
  it('are found by the keyboard alone, and opened with Ctrl-K', async () => {
    const page = await open('/people')
    await page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
    await openPalette(page)
    await page.keyboard.type('chid')
    await page.getByRole('option', { name: /Chidi Okafor/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Chidi Okafor' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/people/user_chidi')
  })

  it('have their filters in the address', async () => {
    const page = await open('/people')
    await page.getByLabel('Name or email').fill('chi')
    await page.getByRole('status').filter({ hasText: '1 in all' }).waitFor()
    await page.getByLabel('State').selectOption('all')
    expect(new URL(page.url()).search).toBe('?q=chi&state=all')
  })
})

describe('a person in the console', () => {
  it('shows why a write was skipped, since when, and who owns each field', async () => {
    const json = { department: 'Sales', timezone: 'Europe/Paris' }
    await console.service.rest('PUT', '/v2/users/user_chidi', { token, json })
    const page = await open('/people/user_chidi')
    const row = page.getByRole('row', { name: /^Department/ })
    await row.getByText('so only the directory can change it').waitFor()
    expect(await row.textContent()).toMatch(/DepartmentIT.*Skipped.*Ada Lindqvist.*Directory2 Jun 2025/)
    const pinned = page.getByRole('row', { name: /^Time zone/ })
    expect(await pinned.textContent()).toMatch(/Time zoneEurope\/Paris.*Pinned.*Ada Lindqvist/)
  })

  it('is changed after its changes were shown, with its version and a key of its own', async () => {
    const page = await open('/people/user_hanna')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Job title', { exact: true }).fill('Lead recruiter')
    await page.getByRole('button', { name: 'Review' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change Hanna Schulz' })
    expect(await dialog.getByRole('row', { name: /^Job title/ }).textContent()).toBe('Job titleRecruiterLead recruiter')
    const sent = page.waitForRequest((request) => request.url().endsWith('/UpdateUser'))
    await dialog.getByRole('button', { name: 'Save' }).click()
    const headers = (await sent).headers()
    expect(headers['if-match']).toMatch(/^".+"$/)
    expect(headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
    await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor()
    await page.getByRole('row', { name: /^Job title Lead recruiter Pinned/ }).waitFor()
  })

  it('shows both versions where somebody else was faster, and loses nothing that was typed', async () => {
    const page = await open('/people/user_goro')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Job title', { exact: true }).fill('From the console')
    await page.getByRole('button', { name: 'Review' }).click()
    const json = { jobTitle: 'From elsewhere' }
    expect(await console.service.rest('PUT', '/v2/users/user_goro', { token, json })).toMatchObject({ status: 200 })
    await page.getByRole('button', { name: 'Save' }).click()
    const conflict = page.getByRole('alert').filter({ hasText: 'Somebody else has changed this' })
    await conflict.waitFor()
    const row = await conflict.getByRole('row', { name: /^Job title/ }).textContent()
    expect(row).toBe('Job titlePeople PartnerFrom elsewhereFrom the console')
    await page.getByRole('button', { name: 'Go on from the newest version' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /^Job title From the console/ }).waitFor()
    // The browser logs each answer that is an error.
    expect(opened[0]?.complaints.splice(0)).toEqual([expect.stringContaining('409')])
  })

  it('keeps what was typed when the token ends, and saves it after the next sign-in', async () => {
    const ending = await console.token()
    const page = await open('/people/user_jonas', ending)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Job title', { exact: true }).fill('Typed before the end')
    await page.getByRole('button', { name: 'Review' }).click()
    await console.service.rest('POST', '/v2/auth/revoke', { form: { secret: ending } })
    await page.getByRole('button', { name: 'Save' }).click()
    const again = page.getByRole('dialog', { name: 'Your sign-in has ended' })
    await again.getByLabel('Token').fill(token)
    await again.getByRole('button', { name: 'Use this token' }).click()
    await again.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /^Job title Typed before the end/ }).waitFor()
    expect(opened[0]?.complaints.splice(0).every((text) => text.includes('401'))).toBe(true)
  })

  it('cannot be changed by those without the right, who are told which', async () => {
    const page = await open('/people/user_chidi', await console.token('user_nils'))
    const edit = page.getByRole('button', { name: 'Edit', exact: true })
    expect(await edit.getAttribute('aria-disabled')).toBe('true')
    const why = 'You need the permission users:write here.'
    expect(await edit.getAttribute('aria-description')).toBe(why)
    await edit.hover()
    await page.getByText(why).waitFor()
  })
})

describe('a key in the console', () => {
  it('is created with what was shown, and its secret is shown once', async () => {
    const page = await open('/keys')
    await page.getByRole('button', { name: 'Create an API key' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Nightly job')
    await page.getByLabel('users:read').check()
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('row', { name: 'Permissions – users:read' }).waitFor()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const secret = await page.getByText(/^svc_secret_pk_/).textContent()
    await page.getByRole('button', { name: 'I have it' }).click()
    await page.getByRole('link', { name: 'Nightly job' }).click()
    await page.getByText('users:read').waitFor()
    expect(await page.content()).not.toContain(secret)
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Revoked', { exact: true }).first().waitFor()
  })

  it('that has leaked is revoked without a sign-in', async () => {
    const request = { name: 'Leaked', permissions: ['users:read'] }
    const { json } = await console.service.rest('POST', '/v2/api-keys', { token, json: request })
    const page = await openSignedOut('/leaked-key')
    await page.getByLabel('Secret or token').waitFor()
    expect(await findingsOf(page)).toEqual([])
    await page.getByLabel('Secret or token').fill(json.secret)
    await page.getByRole('button', { name: 'Revoke it' }).click()
    await page.getByText('it no longer works').waitFor()
    const { json: after } = await console.service.rest('GET', `/v2/api-keys/${json.data.id}`, { token })
    expect(after.data.status).toBe('API_KEY_STATUS_REVOKED')
  })
})

describe('a console whose service does not answer', () => {
  const METHOD = '**/svc.v2.UserService/ListUsers'

  it('shows what the service says, its reason and the request, and tries again when it may', async () => {
    const page = await open('/keys')
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    const headers = { 'retry-after': '4', 'x-request-id': 'request-of-the-test', 'content-type': 'application/json' }
    const body = JSON.stringify({ code: 'unavailable', message: 'the service is stopping' })
    await page.route(METHOD, (route) => route.fulfill({ status: 503, headers, body }))
    await page.getByRole('link', { name: 'People', exact: true }).click()
    const failure = page.getByRole('alert').filter({ hasText: 'The service is busy or stopping' })
    await failure.getByText('the service is stopping').waitFor()
    await failure.getByText('request-of-the-test').waitFor()
    await page.unroute(METHOD)
    await failure.getByRole('button', { name: 'Try again', exact: true }).click()
    await page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
    expect(opened[0]?.complaints.splice(0)).not.toEqual([])
  })

  it('says that it is offline, and keeps what it shows', async () => {
    const page = await open('/people')
    await page.getByRole('link', { name: 'Chidi Okafor' }).waitFor()
    await page.context().setOffline(true)
    try {
      await page.getByText('You are offline.').waitFor()
      expect(await page.getByRole('link', { name: 'Chidi Okafor' }).count()).toBe(1)
    } finally {
      await page.context().setOffline(false)
    }
    await page.getByText('You are offline.').waitFor({ state: 'detached' })
    opened[0]?.complaints.splice(0)
  })
})

describe('changes of many people in the console', () => {
  it('are shown line by line before they are made, with what is skipped and refused', async () => {
    const page = await open('/people/changes')
    await page.getByLabel('Or paste its lines').fill('id,department,salary\nuser_luca,Treasury,1')
    await page
      .getByRole('alert')
      .filter({ hasText: 'line 1: no field is called salary; there are ID, Email, First name' })
      .waitFor()
    const lines = ['id,department', 'user_luca,Treasury', 'user_chidi,Treasury', 'user_nobody,Treasury']
    await page.getByLabel('Or paste its lines').fill(lines.join('\n'))
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByRole('row', { name: /Luca Ferri 2 Will be updated Department: .* → Treasury/ }).waitFor()
    await page
      .getByRole('row', { name: /Chidi Okafor 3 Unchanged .*the directory supplies them: Department/ })
      .waitFor()
    await page.getByRole('row', { name: /user_nobody 4 Refused/ }).waitFor()
    await page.getByRole('button', { name: 'Change 1 person' }).click()
    await page.getByRole('button', { name: 'Change them' }).click()
    await page.getByRole('heading', { name: 'Done' }).waitFor()
    const { json } = await console.service.rest('GET', '/v2/users/user_luca', { token })
    expect(json.data.department).toBe('Treasury')
    // The name of somebody who does not exist is asked for.
    await page.waitForLoadState('networkidle')
    opened[0]?.complaints.splice(0)
  })

  it('are read as a spreadsheet saves them, by address, and shown with their values', async () => {
    const page = await open('/people/changes')
    const choose = (name: string, buffer: Buffer) =>
      page.getByLabel('Choose a file').setInputFiles({ name, mimeType: 'text/csv', buffer })
    // With a column and rows that the spreadsheet left empty.
    const rows = ['sep=;', 'E-Mail;First Name;job_title;', 'LUCA@acme.example;Jörg;"Head of', 'Treasury";', ';;;', '']
    for (const ending of ['\n', '\r\n']) {
      await choose('people.csv', Buffer.from(rows.join(ending), 'latin1'))
      await page.getByText('it was read as Windows-1252').waitFor()
      await page.getByRole('button', { name: 'Show the plan' }).click()
      // A title has no line break, and the line is that of the file.
      await page.getByRole('row', { name: /Luca Ferri 3 Refused .*Job title must/ }).waitFor()
    }
    const utf16 = Buffer.from('\ufeffEMAIL\tFirstName\nluca@acme.example\tJörg\n', 'utf16le')
    await choose('people.txt', utf16)
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByRole('row', { name: /Luca Ferri 2 Will be updated First name: Luca → Jörg/ }).waitFor()
    expect(await page.getByText('Windows-1252').count()).toBe(0)
    await choose('people.csv', Buffer.from('\ufeffID,First name,role\nuser_luca,Jörg,USER_ROLE_ORG_ADMIN\n'))
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByRole('row', { name: /First name: Luca → Jörg/ }).waitFor()
    // Roles as the console calls them, and what is none beside who it was for.
    const roles = [
      'email,role',
      'luca@acme.example, administrator',
      'nils@acme.example,Boss',
      'nils@acme.example,member,x',
    ]
    await choose('people.csv', Buffer.from(roles.join('\n')))
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByRole('row', { name: /Luca Ferri 2 Will be updated Role: Member → Administrator/ }).waitFor()
    const refused = /nils@acme.example 3 Refused The role must be Administrator, Member or Guest/
    await page.getByRole('row', { name: refused }).waitFor()
    await page.getByRole('row', { name: /nils@acme.example 4 Refused 3 cells, and the header has 2/ }).waitFor()
    await choose('people.xlsx', Buffer.from([0x50, 0x4b, 3, 4, 0, 0]))
    await page.getByText('This is no text: save the sheet as CSV first.').waitFor()
    opened[0]?.complaints.splice(0)
  })

  it('stand beside the lines that cannot be read, each with its number and what is wrong', async () => {
    const page = await open('/people/changes')
    const plan = async (lines: string) => {
      await page.getByLabel('Or paste its lines').fill(lines)
      await page.getByRole('button', { name: 'Show the plan' }).click()
    }
    const row = (name: RegExp) => page.getByRole('row', { name }).waitFor()
    await plan('id,department\n\nuser_luca,"a\nb\nc"\n\nuser_emre\n')
    await row(/ 7 Refused .*1 cells, and the header has 2/)
    const lines = [
      'Email;Time zone',
      'luca@acme.example;Europe/Oslo',
      'emre@acme.example;Berlin',
      ';Europe/Rome',
      'stranger@acme.example;Europe/Rome',
      'Luca@acme.example;Europe/Paris',
    ]
    await plan(lines.join('\n'))
    await row(/Luca Ferri 2 Will be updated Time zone: Europe\/\w+ → Europe\/Oslo/)
    await row(/Emre Yıldız 3 Refused .*Time zone must be the IANA name/)
    await row(/ 4 Refused .*It names nobody/)
    await row(/stranger@acme.example 5 Refused .*Nobody has the email/)
    await row(/Luca Ferri 6 Refused .*Line 2 is about the same person/)
    await page.getByText('4 lines are left out').waitFor()
    await page.getByRole('button', { name: 'Change 1 person' }).click()
    await page.getByRole('button', { name: 'Change them' }).click()
    await page.getByRole('status').filter({ hasText: '1 person is changed.' }).waitFor()
    await row(/Luca Ferri 2 Updated/)
    opened[0]?.complaints.splice(0)
  })

  it('are none in an export that is given back, whatever a spreadsheet made of it, but for the cells that were edited', async () => {
    const odd: readonly (readonly [id: string, email: string, columns: Readonly<Record<string, string>>])[] = [
      ['quotes', 'quotes@acme.example', { first_name: 'Ann "Nan"', last_name: 'Lee, Jr.; "x"' }],
      ['lines', 'lines@acme.example', { first_name: 'Two\nlines ', last_name: "O'Neil" }],
      ['formula', 'formula@acme.example', { first_name: '=1+1', last_name: "'=2+2" }],
      [
        'signs',
        'signs@acme.example',
        { first_name: '-cmd', last_name: '""', department: '0042', primary_phone: '+491721234567' },
      ],
      ['twin1', '+twin1@acme.example', { first_name: 'Same', last_name: 'Name' }],
      ['twin2', 'twin2@acme.example', { first_name: 'Same', last_name: 'Name' }],
    ]
    for (const [id, email, columns] of odd) {
      await insertUser(console.service.database, { id, organizationId: 'org_acme', email, columns })
    }
    const page = await open('/people?state=all')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    const exported = await readFile(await (await download).path(), 'utf8')
    const rows = papaparse.parse<string[]>(exported.slice(1)).data
    // Numbers are rewritten, and some rows end at their last value.
    const general = (digits: string) =>
      digits.length < 12 ? String(Number(digits)) : Number(digits).toExponential(5).replace('.', ',').toUpperCase()
    const saved = rows.map((row) => row.map((cell) => cell.replace(/^[+0](\d+)$/, (_, digits) => general(digits))))
    const short = saved.map((row, index) => (index % 2 === 0 ? row : row.slice(0, row.findLastIndex(Boolean) + 1)))
    const edited = exported.replace('Lee, Jr.', 'Li, Jr.')
    await page.goto(`${console.service.baseUrl}/console/people/changes#token=${token}`)
    const plan = async (file: string) => {
      const buffer = Buffer.from(file)
      await page.getByLabel('Choose a file').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer })
      await page
        .getByText('Not changed by this: Name, Manager user ID, Created, Deactivated at, Field ownership.')
        .waitFor()
      await page.getByRole('button', { name: 'Show the plan' }).click()
    }
    const excel = papaparse.unparse(short, { delimiter: ';' }).replaceAll('Two\n', 'Two\r\n')
    for (const file of [
      exported,
      exported.slice(1),
      excel,
      papaparse.unparse(saved, { delimiter: '\t', quotes: true }),
    ]) {
      await plan(file)
      await page.getByRole('heading', { name: 'Nothing changes' }).waitFor()
      await page.getByText(`${rows.length - 1} unchanged`).waitFor()
      expect(await page.getByText('left out').count()).toBe(0)
    }
    await plan(edited)
    await page.getByRole('row', { name: /Will be updated Last name: Lee, Jr.; "x" → Li, Jr.; "x"/ }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    await page.getByRole('button', { name: 'Change 1 person' }).click()
    await page.getByRole('button', { name: 'Change them' }).click()
    await page.getByRole('heading', { name: 'Done' }).waitFor()
    const { json } = await console.service.rest('GET', '/v2/users/quotes', { token })
    const pins = json.data.fieldOwnership.filter(({ owner }: { owner: string }) => owner === 'FIELD_OWNER_PINNED')
    expect(pins.map(({ field }: { field: string }) => field)).toEqual(['USER_PROFILE_FIELD_LAST_NAME'])
    await page.getByLabel('Or paste its lines').fill('ID,Name,Departmnt\nuser_luca,Luca,Sales')
    await page.getByRole('alert').filter({ hasText: 'line 1: no field is called Departmnt; there are' }).waitFor()
    opened[0]?.complaints.splice(0)
  })

  it('are pinned, or handed back where that is chosen', async () => {
    const page = await open('/people/changes')
    await page.getByLabel('Or paste its lines').fill('email,jobTitle\nemre@acme.example,Support lead')
    await page.getByLabel(/^Pin what the file changes/).uncheck()
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByRole('button', { name: 'Change 1 person' }).click()
    const released = page.waitForResponse(
      (response) =>
        response.url().endsWith('/BatchUpdateUsers') && (response.request().postData() ?? '').includes('releaseFields'),
    )
    await page.getByRole('button', { name: 'Change them' }).click()
    await (await released).finished()
    const { json } = await console.service.rest('GET', '/v2/users/user_emre', { token })
    expect(json.data.jobTitle).toBe('Support lead')
    const owner = json.data.fieldOwnership.find(({ field }: { field: string }) => field.endsWith('JOB_TITLE'))
    expect(owner?.owner).not.toBe('FIELD_OWNER_PINNED')
  })
})
