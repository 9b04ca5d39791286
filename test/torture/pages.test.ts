import { itHolds } from '../support/held-trial.js'
import { pages } from '../trial/pages.js'

itHolds('listing all pages returns everything that exists throughout, exactly once', pages)
