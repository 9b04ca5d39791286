import { itHolds } from '../support/held-trial.js'
import { unread } from '../trial/unread.js'

itHolds('unread responses take no resources from other callers', unread)
