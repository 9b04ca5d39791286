import { expect, it } from '@jest/globals'
import { tenants } from '../../bench/trial/tenants.js'
import { brokenPromises } from '../support/held-trial.js'

it('ids of another organization or team get the same response as unknown ids', async () => {
  expect(await brokenPromises(tenants)).toEqual([])
}, 300_000)
