import { describe, expect, it } from '@jest/globals'
import { brokenPromises } from '../support/held-trial.js'
import { ownership } from '../trial/ownership.js'

describe('the fields of persons', () => {
  it('are consistent with some order of the concurrent writes', async () => {
    expect(await brokenPromises(ownership)).toEqual([])
  }, 120_000)
})
