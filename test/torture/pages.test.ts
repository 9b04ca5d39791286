import { testTrial } from '../support/test-trial.js'
import { pages } from '../trial/pages.js'

testTrial('listing all pages returns everything that exists throughout, exactly once', pages)
