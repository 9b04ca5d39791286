import { describe } from '@jest/globals'
import { itHolds } from '../support/held-trial.js'
import { limit } from '../trial/limit.js'
import { revoke } from '../trial/revoke.js'

describe('several processes', () => {
  itHolds('refuse a key as soon as one of them has revoked it', revoke)
  itHolds('accept five reports per address and minute, over all protocols together', limit)
})
