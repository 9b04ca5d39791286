import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { startTestService, type TestService } from '../support/service.js'

/** What an import may stall others, as a multiple of what reading a plain text of a mebibyte takes. */
const MOST = 5
const plain = JSON.stringify(
  Array.from({ length: 24_000 }, (_, index) => ({ [`key${index}`]: 'a plain text of a value' })),
)

const { acme: organizationId, it: teamId } = fixture
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const texts = (count: number, length: number) => numbers(count).map((index) => `${index}`.padEnd(length, 'a'))

/** Imports that ask for much work, of about a mebibyte. */
const imports: readonly (readonly [string, readonly object[]])[] = [
  [
    'users with everything',
    numbers(1_000).map((index) => ({
      user: {
        id: `user-${index}`,
        organizationId,
        email: `user-${index}@example.com`,
        role: 'USER_ROLE_ORG_MEMBER',
        firstName: 'Ada'.repeat(80),
        lastName: 'Lovelace'.repeat(30),
        department: `Research ${index}`.padEnd(240, 'h'),
        jobTitle: 'Analyst'.repeat(30),
        timezone: 'Europe/London',
        locale: 'en-GB',
        primaryPhone: `+1415${2_000_000 + index}`,
        ...(index > 0 && { managerUserId: `user-${index - 1}` }),
        teamRoles: [{ teamId, role: 'TEAM_USER_ROLE_VIEWER' }],
      },
    })),
  ],
  [
    'users who are all refused',
    numbers(1_000).map((index) => ({
      user: {
        id: `user-${index}`,
        organizationId,
        email: `user@example.com`,
        managerUserId: `user-${(index + 1) % 1_000}`,
      },
    })),
  ],
  ['a large group', [{ group: { id: 'group', organizationId, name: 'Everybody', userIds: texts(25_000, 36) } }]],
  [
    'app instances with cards',
    numbers(8).map((index) => ({
      appInstance: {
        id: `instance-${index}`,
        teamId,
        name: 'Instance',
        a2aAgentCard: {
          name: 'Agent',
          description: 'a'.repeat(10_000),
          skills: numbers(100).map((skill) => ({
            id: `${skill}`,
            name: 'Skill',
            description: 'a'.repeat(800),
            tags: ['a', 'b'],
          })),
        },
      },
    })),
  ],
]

describe('the time for which the plan of an import blocks others', () => {
  let service: TestService
  let token: string
  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    token = await insertUserToken(service.database, { userId: fixture.users.admin })
  })
  afterAll(() => service.stop())

  const planOf = async (body: string) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const response = await fetch(`${service.baseUrl}/v2/imports?validateOnly=true`, { method: 'POST', headers, body })
    await response.text()
    return response.status
  }

  it.each(imports)(
    'is short: %s',
    async (_name, records) => {
      const text = JSON.stringify(records)
      let [stall, reading] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
      // A busy machine stalls by itself; an import that does would do it every time.
      for (let rounds = 0; rounds < 20 && !(stall / reading < MOST); rounds++) {
        const startedAt = performance.now()
        JSON.parse(plain)
        reading = Math.min(reading, performance.now() - startedAt)
        const delays = monitorEventLoopDelay({ resolution: 1 })
        delays.enable()
        expect(await planOf(text)).toBe(200)
        delays.disable()
        stall = Math.min(stall, delays.max / 1e6)
      }
      expect(stall / reading).toBeLessThan(MOST)
    },
    60_000,
  )
})
