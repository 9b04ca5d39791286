import { describe, expect, it } from '@jest/globals'
import { brokenPromises } from '../support/held-trial.js'
import { limit } from '../trial/limit.js'
import { revoke } from '../trial/revoke.js'

describe('several processes', () => {
  it('refuse a key as soon as one of them has revoked it', async () => {
    expect(await brokenPromises(revoke)).toEqual([])
  }, 120_000)

  it('accept five reports per address and minute, over all protocols together', async () => {
    expect(await brokenPromises(limit)).toEqual([])
  }, 120_000)
})
