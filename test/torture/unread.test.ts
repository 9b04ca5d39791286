import { testTrial } from '../support/test-trial.js'
import { unread } from '../trial/unread.js'

testTrial('unread responses take no resources from other callers', unread)
