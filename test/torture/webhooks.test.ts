import { itHolds } from '../support/held-trial.js'
import { webhooks } from '../trial/webhooks.js'

itHolds('every event reaches every endpoint, in order where that was asked for, whatever is killed', webhooks)
