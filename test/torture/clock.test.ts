import { expect, it } from '@jest/globals'
import { brokenPromises } from '../support/held-trial.js'
import { clock } from '../trial/clock.js'

it('nothing depends on the clock of the machine, whose jumps make the service not ready', async () => {
  expect(await brokenPromises(clock)).toEqual([])
}, 120_000)
