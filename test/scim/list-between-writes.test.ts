import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Tables } from '../../src/db/tables.js'
import { searchedGroups } from '../../src/store/directory/group.js'
import { searchedMembers } from '../../src/store/directory/member-search.js'
import { constant } from '../../src/store/search.js'
import { readPage } from '../../src/store/search-page.js'
import { fixture, insertFixture } from '../support/fixture.js'
import { connectDirectory, type ScimClient } from '../support/scim.js'
import { startTestService, type TestService } from '../support/service.js'

const organizationId = fixture.globex
const all = { organizationId, condition: constant(true), order: undefined }

let service: TestService
let directory: ScimClient
beforeAll(async () => {
  service = await startTestService()
  await insertFixture(service.database)
  directory = await connectDirectory(service, organizationId)
})
afterAll(() => service.stop())

/** Tables in which something happens once the first statement of a list is answered. */
function tablesWith(between: () => Promise<unknown>): Tables {
  let happened: Promise<unknown> | undefined
  return {
    ...service.database,
    run: async (statement, values) => {
      const rows = await service.database.run(statement, values)
      happened ??= between()
      await happened
      return rows
    },
  }
}

describe('a list that is read during writes', () => {
  it('never has more users than its total', async () => {
    const { id } = await directory.add({ userName: 'between@example.com', externalId: 'between' })
    const remove = () => directory.send('DELETE', `/Users/${id}`)
    const { total, rows } = await readPage(tablesWith(remove), searchedMembers, all, { offset: 0, count: 2 })
    expect([total, rows.length]).toEqual([2, 2])
  })

  it('never has more groups than its total', async () => {
    const { body: group } = await directory.send('POST', '/Groups', { displayName: 'Leaving' })
    const remove = () => directory.send('DELETE', `/Groups/${group.id}`)
    const range = { offset: 0, count: 2 }
    const { total, rows } = await readPage(tablesWith(remove), searchedGroups(false), all, range)
    expect([total, rows.length]).toEqual([2, 2])
  })
})
