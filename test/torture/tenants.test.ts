import { expect, it } from '@jest/globals'
import { testTrial } from '../support/test-trial.js'
import { placesMissing } from '../trial/tenants/foreign-ids.js'
import { tenants } from '../trial/tenants.js'

it('every id of every request is one of those that are compared', () => {
  expect(placesMissing()).toEqual([])
})

testTrial('ids of another organization or team get the same response as unknown ids', tenants)
