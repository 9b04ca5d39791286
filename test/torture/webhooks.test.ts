import { testTrial } from '../support/test-trial.js'
import { webhooks } from '../trial/webhooks.js'

testTrial('every event reaches every endpoint, in order where that was asked for, whatever is killed', webhooks)
