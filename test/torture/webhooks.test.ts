import { expect, it } from '@jest/globals'
import { webhooks } from '../../bench/trial/webhooks.js'
import { brokenPromises } from '../support/held-trial.js'

it('every event reaches every endpoint, in order where that was asked for, whatever is killed', async () => {
  expect(await brokenPromises(webhooks)).toEqual([])
}, 480_000)
