import { expect, it } from '@jest/globals'
import { brokenPromises } from '../support/held-trial.js'
import { badInput } from '../trial/bad-input.js'

it('invalid requests get documented responses over every protocol', async () => {
  expect(await brokenPromises(badInput)).toEqual([])
}, 300_000)
