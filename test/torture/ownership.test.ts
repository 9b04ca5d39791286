import { describe, expect, it } from '@jest/globals'
import { ownership } from '../../bench/trial/ownership.js'
import { brokenPromises } from '../support/held-trial.js'

describe('the fields of persons', () => {
  it('have been written in some order, whoever writes at once', async () => {
    expect(await brokenPromises(ownership)).toEqual([])
  }, 120_000)
})
