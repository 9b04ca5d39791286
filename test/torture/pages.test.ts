import { expect, it } from '@jest/globals'
import { pages } from '../../bench/trial/pages.js'
import { brokenPromises } from '../support/held-trial.js'

it('a walk through a list meets everything that is there throughout, once', async () => {
  expect(await brokenPromises(pages)).toEqual([])
}, 300_000)
