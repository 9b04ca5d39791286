import { describe, expect, it } from '@jest/globals'
import { limit } from '../../bench/trial/limit.js'
import { revoke } from '../../bench/trial/revoke.js'
import { brokenPromises } from '../support/held-trial.js'

describe('several processes', () => {
  it('accept nothing of a key that was revoked at one of them', async () => {
    expect(await brokenPromises(revoke)).toEqual([])
  }, 120_000)

  it('accept five reports of an address in a minute, through all doors together', async () => {
    expect(await brokenPromises(limit)).toEqual([])
  }, 120_000)
})
