import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { collectAnswers } from '../support/collected-answers.js'
import { operationsIn } from '../support/demo-requests.js'
import { readOpenApi } from '../support/json-schemas.js'

const file = join(import.meta.dirname, '../../gen/openapi/examples.json')

it('the examples of responses and errors are what the service returns', async () => {
  const text = `${JSON.stringify(await collectAnswers(operationsIn(readOpenApi())), null, 2)}\n`
  if (process.env['RECORD_EXAMPLES'] !== undefined) writeFileSync(file, text)
  const recorded = readFileSync(file, 'utf8')
  expect([JSON.parse(text), '"npm run generate:examples" rewrites them']).toEqual([
    JSON.parse(recorded),
    '"npm run generate:examples" rewrites them',
  ])
})
