import { expect, it } from '@jest/globals'
import { brokenPromises } from '../support/held-trial.js'
import { events } from '../trial/events.js'

it('every committed change is told once and in order, whatever is killed', async () => {
  expect(await brokenPromises(events)).toEqual([])
}, 120_000)
