import { expect, it } from '@jest/globals'
import { unread } from '../../bench/trial/unread.js'
import { brokenPromises } from '../support/held-trial.js'

it('unread responses take no resources from other callers', async () => {
  expect(await brokenPromises(unread)).toEqual([])
}, 120_000)
