import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import papaparse from 'papaparse'
import { type ConsolePage, startTestConsole, type TestConsole } from '../support/console.js'
import { insertUser } from '../support/fixture.js'

let console: TestConsole
let token: string
beforeAll(async () => {
  console = await startTestConsole()
  token = await console.token()
})
afterAll(() => console.stop())

const opened: ConsolePage[] = []
const open = async (path: string) => {
  const each = await console.open(path, token)
  opened.push(each)
  return each.page
}
afterEach(async () => {
  for (const { complaints, close } of opened.splice(0)) {
    expect(complaints).toEqual([])
    await close()
  }
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
    await page.getByText('4 lines left out').waitFor()
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
        .getByText('Not changed by this: Name, Manager user ID, Created, Deactivated, Field ownership.')
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

  it('of more people than one call takes are sent in parts, and go on where one has failed', async () => {
    const { database } = console.service
    await database.execute(
      `INSERT INTO memberships (organization_id, user_id, email, first_name, last_name)
       SELECT 'org_acme', 'many_' || n, 'many' || n || '@acme.example', 'Many', n FROM generate_series(1, 1100) n`,
    )
    const page = await open('/people/changes')
    const people = Array.from({ length: 1_100 }, (_, index) => `many${index + 1}@acme.example,Field`)
    const lines = ['email,department', ...people.slice(0, 700), 'stranger@acme.example,Field', ...people.slice(700)]
    await page.getByLabel('Or paste its lines').fill(lines.join('\n'))
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByText('1 line left out').waitFor()
    await page.getByRole('button', { name: 'Change 1,100 people' }).click()
    await page.getByText('More than 500 people are sent in parts of as many, each all or nothing.').waitFor()
    // The second part fails once.
    let calls = 0
    await page.route('**/BatchUpdateUsers', async (route) => {
      const isSecond = calls++ === 1
      const body = JSON.stringify({ code: 'internal', message: 'it broke' })
      await (isSecond ? route.fulfill({ status: 500, contentType: 'application/json', body }) : route.continue())
    })
    await page.getByRole('button', { name: 'Change them' }).click()
    await page.getByText('500 of 1,100 sent').waitFor()
    await page.getByRole('alert').getByText('It broke.').waitFor()
    await page.getByRole('heading', { name: 'Being changed' }).waitFor()
    const changed = async (department: string) =>
      (await console.service.rest('GET', `/v2/users?department=${department}&pageSize=1&includeTotal=true`, { token }))
        .json.totalSize
    expect(await changed('Field')).toBe(500)
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Done' }).waitFor()
    expect(await changed('Field')).toBe(1_100)
    expect(calls).toBe(4)
    const tooMany = ['email,department', ...Array.from({ length: 10_001 }, (_, index) => `${index}@acme.example,X`)]
    const buffer = Buffer.from(tooMany.join('\n'))
    await page.getByLabel('Choose a file').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer })
    await page.getByText('More than 10,000 people: split the file.').waitFor()
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
