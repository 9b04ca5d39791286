import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { userType } from '../../src/scim/resource-types.js'
import { isExpected, recipesOf, runRecipes } from '../support/cookbook.js'
import { insertApiKey } from '../support/fixture.js'
import { runSvc } from '../support/program.js'
import { startTestService, type TestService } from '../support/service.js'
import { shells } from '../support/shells.js'

const page = await readFile(join(import.meta.dirname, '../../docs/directory.md'), 'utf8')
const recipes = recipesOf(page)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

describe.each(shells)('the page about directories in %s', (shell) => {
  let outputs: string[]
  beforeAll(async () => {
    const { database, testDatabase, baseUrl } = service
    const reset = await runSvc(['demo', 'reset'], { env: testDatabase.environment })
    expect([reset.status, reset.stderr]).toEqual([0, ''])
    const key = await insertApiKey(database, { organizationId: 'org_acme', kind: 'mk' })
    outputs = await runRecipes(shell, recipes, { BASE_URL: baseUrl, DIRECTORY_SECRET: key.secret })
  })

  it.each(recipes.map((recipe, index) => ({ ...recipe, index })))(
    '$name works as documented',
    ({ expected, index }) => {
      const output = outputs[index] ?? ''
      if (expected === undefined) expect(output).toBe('')
      else if (!isExpected(expected, output)) expect(output).toBe(expected.text)
      else expect(isExpected(expected, output)).toBe(true)
    },
  )
})

describe('the page about directories', () => {
  it('names every attribute that a provider can write', () => {
    const { attributes, extensions } = userType
    const writable = [...attributes, ...extensions.flatMap(({ attributes }) => attributes)]
      .filter(({ mutability }) => mutability === 'readWrite')
      .map(({ name }) => name)
    const missing = writable.filter((name) => name !== 'schemas' && !new RegExp(`[\`:]${name}\\b`).test(page))
    expect(missing).toEqual([])
  })
})
