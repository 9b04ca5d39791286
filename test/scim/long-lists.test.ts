import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { fixture, insertFixture } from '../support/fixture.js'
import { connectDirectory, type ScimClient } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

/** Groups of so many members that three of them are more than a page shows. */
const GROUPS = 5
const MEMBERS = 9_000

let service: TestService
let directory: ScimClient
beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  directory = await connectDirectory(service, fixture.globex)
  await service.database.pool.query(
    `
    WITH ids AS (SELECT 'member-' || number AS id, 'member-' || number || '@example.com' AS email
                   FROM generate_series(1, ${MEMBERS}) number)
    INSERT INTO memberships (organization_id, user_id, email)
    SELECT '${fixture.globex}', id, email FROM ids`,
  )
  await service.database.pool.query(
    `INSERT INTO groups (organization_id, id, name)
     SELECT '${fixture.globex}', 'group-' || number, 'Group ' || number FROM generate_series(0, ${GROUPS - 1}) number`,
  )
  await service.database.pool.query(
    `INSERT INTO group_members (organization_id, group_id, user_id, position)
     SELECT '${fixture.globex}', id, 'member-' || number, number FROM groups, generate_series(1, ${MEMBERS}) number
      WHERE organization_id = '${fixture.globex}'`,
  )
  await service.database.pool.query('ANALYZE memberships, groups, group_members')
})
afterAll(() => service.stop())

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

interface Page {
  readonly totalResults: number
  readonly itemsPerPage: number
  readonly Resources: readonly { readonly id: string; readonly members?: readonly unknown[] }[]
}
const groups = async (query: string): Promise<Page> => {
  const filter = encodeURIComponent('displayName sw "Group "')
  const { status, body } = await directory.send('GET', `/Groups?filter=${filter}&${query}`)
  expect(status).toBe(200)
  return body
}

it('a page of groups ends before it has too many members, and the next one continues', async () => {
  const pages: Page[] = []
  for (let startIndex = 1; startIndex <= GROUPS; startIndex += pages.at(-1)?.itemsPerPage ?? GROUPS) {
    pages.push(await groups(`startIndex=${startIndex}&count=200`))
  }
  expect(pages.map(({ totalResults, itemsPerPage }) => [totalResults, itemsPerPage])).toEqual([
    [GROUPS, 3],
    [GROUPS, 2],
  ])
  const shown = pages.flatMap(({ Resources }) => Resources)
  expect(shown.map(({ id }) => id)).toEqual(numbers(GROUPS).map((number) => `group-${number}`))
  expect(shown.every(({ members }) => members?.length === MEMBERS)).toBe(true)
})

it('without their members, all groups are on one page', async () => {
  expect(await groups('excludedAttributes=members')).toMatchObject({ totalResults: GROUPS, itemsPerPage: GROUPS })
})

it('a body with too many values is refused', async () => {
  const members = numbers(25_001).map(() => 0)
  const { status, body } = await directory.send('POST', '/Groups', { displayName: 'Many', members })
  expect([status, body.detail]).toEqual([
    400,
    expect.stringContaining('there are more than 25000 values (keys and list items)'),
  ])
})
