import { expect, it } from '@jest/globals'
import { brokenPromises } from '../support/held-trial.js'
import { pages } from '../trial/pages.js'

it('listing all pages returns everything that exists throughout, exactly once', async () => {
  expect(await brokenPromises(pages)).toEqual([])
}, 300_000)
