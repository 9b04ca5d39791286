import { describe } from '@jest/globals'
import { testTrial } from '../support/test-trial.js'
import { ownership } from '../trial/ownership.js'

describe('the fields of persons', () => {
  testTrial('are consistent with some order of the concurrent writes', ownership)
})
