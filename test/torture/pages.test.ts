import { expect, it } from '@jest/globals'
import { pages } from '../../bench/trial/pages.js'
import { brokenPromises } from '../support/held-trial.js'

it('listing all pages returns everything that exists throughout, exactly once', async () => {
  expect(await brokenPromises(pages)).toEqual([])
}, 300_000)
