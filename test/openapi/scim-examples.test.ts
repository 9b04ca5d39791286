import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { collectScimAnswers } from '../support/collected-scim-answers.js'

const file = join(import.meta.dirname, '../../gen/openapi/scim-examples.json')

it('the SCIM examples are what the service returns', async () => {
  const text = `${JSON.stringify(await collectScimAnswers(), null, 2)}\n`
  if (process.env['RECORD_EXAMPLES'] !== undefined) writeFileSync(file, text)
  const recorded = readFileSync(file, 'utf8')
  expect([JSON.parse(text), '"npm run generate:examples" rewrites them']).toEqual([
    JSON.parse(recorded),
    '"npm run generate:examples" rewrites them',
  ])
})
