import { expect, it } from '@jest/globals'
import { brokenPromises } from '../support/held-trial.js'
import { webhooks } from '../trial/webhooks.js'

it('every event reaches every endpoint, in order where that was asked for, whatever is killed', async () => {
  expect(await brokenPromises(webhooks)).toEqual([])
}, 480_000)
