import { describe } from '@jest/globals'
import { testTrial } from '../support/test-trial.js'
import { crash } from '../trial/crash.js'
import { kill } from '../trial/kill.js'

describe('no acknowledged write is lost or half done', () => {
  testTrial('when the service, a worker or a session is killed', kill)
  testTrial('when PostgreSQL is killed, alone or with the service', crash)
})
