import { expect, it } from '@jest/globals'
import { unread } from '../../bench/trial/unread.js'
import { brokenPromises } from '../support/held-trial.js'

it('answers that nobody reads take nothing from others', async () => {
  expect(await brokenPromises(unread)).toEqual([])
}, 120_000)
