import { describe } from '@jest/globals'
import { itHolds } from '../support/held-trial.js'
import { cut } from '../trial/cut.js'

describe('a call that is retried with its key', () => {
  itHolds('has one effect, wherever its connection is cut', cut)
})
