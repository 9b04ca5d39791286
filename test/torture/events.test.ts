import { expect, it } from '@jest/globals'
import { events } from '../../bench/trial/events.js'
import { brokenPromises } from '../support/held-trial.js'

it('every committed change is told once and in order, whatever is killed', async () => {
  expect(await brokenPromises(events)).toEqual([])
}, 120_000)
