import { expect, it } from '@jest/globals'
import { badInput } from '../../bench/trial/bad-input.js'
import { brokenPromises } from '../support/held-trial.js'

it('bad requests get answers of the contract through every door', async () => {
  expect(await brokenPromises(badInput)).toEqual([])
}, 300_000)
