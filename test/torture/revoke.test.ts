import { describe } from '@jest/globals'
import { testTrial } from '../support/test-trial.js'
import { limit } from '../trial/limit.js'
import { revoke } from '../trial/revoke.js'

describe('several processes', () => {
  testTrial('refuse a key as soon as one of them has revoked it', revoke)
  testTrial('accept five reports per address and minute, over all protocols together', limit)
})
