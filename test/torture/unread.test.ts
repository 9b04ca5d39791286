import { expect, it } from '@jest/globals'
import { brokenPromises } from '../support/held-trial.js'
import { unread } from '../trial/unread.js'

it('unread responses take no resources from other callers', async () => {
  expect(await brokenPromises(unread)).toEqual([])
}, 120_000)
