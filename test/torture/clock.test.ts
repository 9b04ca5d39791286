import { testTrial } from '../support/test-trial.js'
import { clock } from '../trial/clock.js'

testTrial('nothing depends on the clock of the machine, whose jumps make the service not ready', clock)
