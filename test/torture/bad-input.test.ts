import { testTrial } from '../support/test-trial.js'
import { badInput } from '../trial/bad-input.js'

testTrial('invalid requests get documented responses over every protocol', badInput)
