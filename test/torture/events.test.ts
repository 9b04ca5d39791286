import { itHolds } from '../support/held-trial.js'
import { events } from '../trial/events.js'

itHolds('every committed change is told once and in order, whatever is killed', events)
