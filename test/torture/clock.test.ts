import { itHolds } from '../support/held-trial.js'
import { clock } from '../trial/clock.js'

itHolds('nothing depends on the clock of the machine, whose jumps make the service not ready', clock)
