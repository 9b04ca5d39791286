import { expect, it } from '@jest/globals'
import { badInput } from '../../bench/trial/bad-input.js'
import { brokenPromises } from '../support/held-trial.js'

it('invalid requests get documented responses over every protocol', async () => {
  expect(await brokenPromises(badInput)).toEqual([])
}, 300_000)
