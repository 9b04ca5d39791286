import { itHolds } from '../support/held-trial.js'
import { badInput } from '../trial/bad-input.js'

itHolds('invalid requests get documented responses over every protocol', badInput)
