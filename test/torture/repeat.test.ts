import { describe } from '@jest/globals'
import { testTrial } from '../support/test-trial.js'
import { cut } from '../trial/cut.js'

describe('a call that is retried with its key', () => {
  testTrial('has one effect, wherever its connection is cut', cut)
})
