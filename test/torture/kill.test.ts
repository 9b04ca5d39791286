import { describe, expect, it } from '@jest/globals'
import { brokenPromises } from '../support/held-trial.js'
import { crash } from '../trial/crash.js'
import { kill } from '../trial/kill.js'

describe('no acknowledged write is lost or half done', () => {
  it('when the service, a worker or a session is killed', async () => {
    expect(await brokenPromises(kill)).toEqual([])
  }, 120_000)

  it('when PostgreSQL is killed, alone or with the service', async () => {
    expect(await brokenPromises(crash)).toEqual([])
  }, 120_000)
})
