import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertApiKey, insertFixture, insertRow, insertUserToken } from './support/fixture.js'
import { callMethod, formsOf, protocols } from './support/method-forms.js'
import { startTestService, type TestService } from './support/service.js'

const { acme, it: itTeam, people, globexIt, users, groups, journeys } = fixture
const listNames = formsOf('ListNames')

/** What there is of the fixture's teams, by the kind of object: its id and its name there. */
const kinds = (team: 'it' | 'people' | 'globex') =>
  [
    ['access_policy', fixture.accessPolicies[team], `Policy ${team}`],
    ['app_instance', fixture.appInstances[team], `App ${team}`],
    ['app_resource', fixture.appResources[team], `Resource ${team}`],
    ['priority', fixture.priorities[team]],
    ['journey', journeys[team]],
    ['entity_type', fixture.entityTypes[team]],
    ['entity_ingestion_config', fixture.ingestionConfigs[team]],
    ['sla_definition', fixture.slaDefinitions[team]],
    ['webhook_endpoint', fixture.webhookEndpoints[team]],
  ] as const
const textOf = ([type, id]: readonly [string, string, string?]) => `${type}/${id}`
const everything = [
  ...(['it', 'people', 'globex'] as const).flatMap((team) => kinds(team).map(textOf)),
  ...[itTeam, people, globexIt].map((id) => `team/${id}`),
  ...[users.viewer, users.requester, users.globexAdmin].map((id) => `user/${id}`),
  `group/${groups.it}`,
  `group/${groups.globex}`,
]

describe.each(protocols)('names over %s', (protocol) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
  })
  afterAll(() => service.stop())

  const namesFor = async (token: string, objects: readonly string[] = everything) => {
    const { status, answer } = await callMethod(service, listNames, { protocol, request: { objects }, token })
    expect(status).toBe(200)
    const data: { type: string; id: string; name: string }[] = answer.json.data
    return new Map(data.map(({ type, id, name }) => [`${type}/${id}`, name]))
  }
  const tokenOf = (userId: string) => insertUserToken(service.database, { userId })

  it('are those of everything in the organization for an administrator, and of nothing of another one', async () => {
    const names = await namesFor(await tokenOf(users.admin))
    const own = everything.filter((text) => !text.includes('globex') && !text.endsWith(journeys.globex))
    expect([...names.keys()].toSorted()).toEqual(own.toSorted())
    expect(names.get(`team/${itTeam}`)).toBe('IT')
    expect(names.get(`access_policy/${fixture.accessPolicies.it}`)).toBe('Policy it')
    // Only ingestion configs of the fixture are called nothing.
    const nameless = [...names].filter(([, name]) => name === '').map(([text]) => text.split('/', 1)[0])
    expect(new Set(nameless)).toEqual(new Set(['entity_ingestion_config']))
  })

  it('are in a team those that its permissions let one read', async () => {
    const names = await namesFor(await tokenOf(users.viewer))
    const read = [...names.keys()]
    expect(read.filter((text) => kinds('people').some((each) => textOf(each) === text))).toEqual([])
    expect(read).toContain(`team/${itTeam}`)
    expect(read).not.toContain(`team/${people}`)
    const other = [...(await namesFor(await tokenOf(users.peopleManager))).keys()]
    expect(other.filter((text) => kinds('it').some((each) => textOf(each) === text))).toEqual([])
    expect(other).toContain(`team/${people}`)
    expect(read).not.toContain(`group/${groups.it}`)
    expect(read).toContain(`user/${users.viewer}`)
  })

  it('are without permissions those of oneself and of the journeys that one has asked for', async () => {
    expect([...(await namesFor(await tokenOf(users.requester))).keys()].toSorted()).toEqual(
      [`journey/${journeys.it}`, `user/${users.requester}`].toSorted(),
    )
  })

  it('are for a key those that its permissions let it read', async () => {
    const { token } = await insertApiKey(service.database, { organizationId: acme, permissions: ['teams:read'] })
    const names = await namesFor(token)
    expect([...names.keys()].toSorted()).toEqual([`team/${itTeam}`, `team/${people}`].toSorted())
  })

  it('are the address of somebody without a name, and left out for what there is not', async () => {
    const person = { organization_id: acme, user_id: `nameless-${protocol}`, email: `nameless-${protocol}@example.com` }
    await insertRow(service.database, 'memberships', person)
    const asked = [`user/${person.user_id}`, 'journey/no-uuid', 'team/gone', 'team/with/slash']
    expect([...(await namesFor(await tokenOf(users.admin), asked))]).toEqual([[asked[0], person.email]])
  })

  it.each([
    ['teem/acme-it', 'did you mean "team"?'],
    ['team', 'give its id too'],
    ['', 'use one of user, team'],
  ])('refuses %s, which is no kind and an id', async (text, advice) => {
    const token = await tokenOf(users.admin)
    const { status, answer } = await callMethod(service, listNames, {
      protocol,
      request: { objects: [`team/${itTeam}`, text] },
      token,
    })
    expect(status).toBe(400)
    expect(answer.text).toContain('objects[1]')
    expect(JSON.stringify(answer.json)).toContain(JSON.stringify(advice).slice(1, -1))
  })
})
