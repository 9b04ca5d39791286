import { describe, expect, it } from '@jest/globals'
import { brokenPromises } from '../support/held-trial.js'
import { cut } from '../trial/cut.js'

describe('a call that is retried with its key', () => {
  it('has one effect, wherever its connection is cut', async () => {
    expect(await brokenPromises(cut)).toEqual([])
  }, 120_000)
})
