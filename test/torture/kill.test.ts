import { describe } from '@jest/globals'
import { itHolds } from '../support/held-trial.js'
import { crash } from '../trial/crash.js'
import { kill } from '../trial/kill.js'

describe('no acknowledged write is lost or half done', () => {
  itHolds('when the service, a worker or a session is killed', kill)
  itHolds('when PostgreSQL is killed, alone or with the service', crash)
})
