import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { services } from '../src/handlers/routes.js'
import { isExpected, recipesOf, runRecipes } from './support/cookbook.js'
import { insertApiKey, insertUserToken } from './support/fixture.js'
import { readOpenApi } from './support/json-schemas.js'
import { runSvc } from './support/program.js'
import { startTestService } from './support/service.js'
import { shells } from './support/shells.js'

const root = join(import.meta.dirname, '..')
const page = await readFile(join(root, 'docs/cookbook.md'), 'utf8')
const recipes = recipesOf(page)

const outputs = new Map<string, readonly string[]>()
beforeAll(async () => {
  await Promise.all(shells.map(async (shell) => outputs.set(shell, await outputsIn(shell))))
})

/** Runs all recipes in a shell, on a service of its own. */
async function outputsIn(shell: string): Promise<readonly string[]> {
  const service = await startTestService()
  try {
    const { database, testDatabase, baseUrl } = service
    const reset = await runSvc(['demo', 'reset'], { env: testDatabase.environment })
    expect([reset.status, reset.stderr]).toEqual([0, ''])
    const key = await insertApiKey(database, { organizationId: 'org_acme' })
    await database.execute('UPDATE api_keys SET name = $2 WHERE id = $1', [key.id, 'Cookbook'])
    return await runRecipes(shell, recipes, {
      ...testDatabase.environment,
      BASE_URL: baseUrl,
      TOKEN: await insertUserToken(database, { userId: 'user_ada', organizationId: 'org_acme' }),
      KEY_ID: key.id,
      KEY_SECRET: key.secret,
    })
  } finally {
    await service.stop()
  }
}

describe.each(shells)('the cookbook in %s', (shell) => {
  it.each(recipes.map((recipe, index) => ({ ...recipe, index })))(
    '$name works as documented',
    ({ expected, index }) => {
      const output = outputs.get(shell)?.[index] ?? ''
      if (expected === undefined) expect(output).toBe('')
      else if (!isExpected(expected, output)) expect(output).toBe(expected.text)
      else expect(isExpected(expected, output)).toBe(true)
    },
  )

  it('calls every endpoint of the API', () => {
    const called = recipes.map(({ script }) => script).join('\n')
    const paths = Object.keys(readOpenApi().paths).map((path) => path.replace(/\{[^}]*\}/g, '[^/?"]+'))
    expect(paths.filter((path) => !new RegExp(`\\$BASE_URL${path}["?]`).test(called))).toEqual([])
    expect(paths.length).toBeLessThanOrEqual(services.flatMap((each) => each.methods).length)
  })
})

describe("the cookbook's comparison of responses", () => {
  it.each([
    ['json', '{"a": "…"}', '{"a": "x", "b": 1}', true],
    ['json', '{"a": "…"}', '{"a": ""}', false],
    ['json', '{"a": [{}, {}]}', '{"a": [{}]}', false],
    ['json', '{"a": 1}', '{}', false],
    ['json', '{"a": null}', '{"a": {}}', false],
    ['text', '200 …', '200 anything', true],
    ['text', '200', '2000', false],
  ] as const)('%s %s with %s: %s', (kind, text, output, result) => {
    expect(isExpected({ kind, text }, output)).toBe(result)
  })
})
