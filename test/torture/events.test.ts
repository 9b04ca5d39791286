import { testTrial } from '../support/test-trial.js'
import { events } from '../trial/events.js'

testTrial('every committed change is reported once and in order, whatever is killed', events)
