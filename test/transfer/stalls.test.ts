import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fixture, insertFixture, insertUserToken } from '../support/fixture.js'
import { longestTurn, plainTurn } from '../support/longest-turn.js'
import { startTestService, type TestService } from '../support/service.js'

/** What an import may stall others for each mebibyte, as a multiple of what reading a plain text of one takes (17 ms). */
const MOST = 2
/** How much longer it may be for an import of twice the size: a line makes it two times as long, a square four. */
const MOST_GROWTH = 3.5
const { acme: organizationId, it: teamId } = fixture
const taskId = (index: number) => `018f3b7a-0000-7000-8000-${`${index}`.padStart(12, '0')}`
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const texts = (count: number, length: number) => numbers(count).map((index) => `${index}`.padEnd(length, 'a'))

/** Imports that ask for much work, of about so many mebibytes. */
const imports: readonly (readonly [string, (size: number) => readonly object[]])[] = [
  [
    'users with everything',
    (size) =>
      numbers(1_000 * size).map((index) => ({
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
    (size) =>
      numbers(1_000 * size).map((index) => ({
        user: {
          id: `user-${index}`,
          organizationId,
          email: `user@example.com`,
          managerUserId: `user-${(index + 1) % 1_000}`,
        },
      })),
  ],
  [
    'a large group',
    (size) => [{ group: { id: 'group', organizationId, name: 'Everybody', userIds: texts(25_000 * size, 36) } }],
  ],
  [
    'a user with many roles',
    (size) => [
      {
        user: {
          id: 'user',
          organizationId,
          email: 'user@example.com',
          teamRoles: numbers(20_000 * size).map((index) => ({
            teamId: `team-${index}`,
            role: 'TEAM_USER_ROLE_VIEWER',
          })),
        },
      },
    ],
  ],
  [
    'a journey with many tasks',
    (size) => [
      {
        journey: {
          id: taskId(0),
          teamId,
          name: 'Move',
          tasks: numbers(5_000 * size).map((index) => ({
            id: taskId(index + 1),
            name: `Task ${index}`,
            dependsOnIds: index > 0 ? [taskId(index)] : [],
          })),
        },
      },
    ],
  ],
  [
    'app instances with cards',
    (size) =>
      numbers(8 * size).map((index) => ({
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

/** At least one: what a small import takes is not its size. */
const mebibytes = (text: string) => Math.max(1, text.length / 2 ** 20)

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

  it.each(imports)('is short: %s', async (_name, recordsOf) => {
    const [text, half] = [JSON.stringify(recordsOf(1)), JSON.stringify(recordsOf(1 / 2))]
    const least = { text: Number.POSITIVE_INFINITY, half: Number.POSITIVE_INFINITY, plain: Number.POSITIVE_INFINITY }
    const ratios = () => [least.text / mebibytes(text) / least.plain, least.text / least.half]
    const isShort = () => ratios().every((ratio, index) => ratio < (index === 0 ? MOST : MOST_GROWTH))
    // The first ones compile, and collecting garbage takes turns of its own.
    for (let rounds = 0; rounds < 3 || (rounds < 20 && !isShort()); rounds++) {
      least.plain = Math.min(least.plain, await plainTurn())
      for (const [size, body] of [
        ['text', text],
        ['half', half],
      ] as const) {
        least[size] = Math.min(least[size], await longestTurn(async () => expect(await planOf(body)).toBe(200)))
      }
    }
    const [toPlain, growth] = ratios()
    expect(toPlain).toBeLessThan(MOST)
    expect(growth).toBeLessThan(MOST_GROWTH)
  })
})
