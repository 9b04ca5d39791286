import { describe } from '@jest/globals'
import { itHolds } from '../support/held-trial.js'
import { ownership } from '../trial/ownership.js'

describe('the fields of persons', () => {
  itHolds('are consistent with some order of the concurrent writes', ownership)
})
