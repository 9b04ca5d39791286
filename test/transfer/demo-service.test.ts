import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createBearerTokens } from '../../src/domain/auth/bearer-token.js'
import { createSecretHasher } from '../../src/domain/auth/secret-hash.js'
import { createUserToken } from '../../src/domain/auth/user-token.js'
import { startTestService, type TestService } from '../support/service.js'
import { demoLines, importLines } from './transfer-text.js'

let service: TestService
let token: string

beforeAll(async () => {
  service = await startTestService()
  await importLines(service.database, demoLines)
  const hasher = createSecretHasher({ current: undefined, previous: undefined })
  const { database, runtime } = service
  const created = await createUserToken(
    { database, hasher, bearerTokens: createBearerTokens({ database, runtime }), runtime },
    { userId: 'user_ada', organizationId: 'org_acme' },
  )
  token = created.token
})

afterAll(() => service.stop())

async function get(path: string) {
  const answer = await service.rest('GET', path, { token })
  expect(answer.status).toBe(200)
  return answer.json
}

describe('the demo organization over the API', () => {
  it('has a journey with overdue tasks, checks of every status and custom fields of every type', async () => {
    const { data } = await get('/v2/journeys/0198a1c0-7d00-7000-8000-000000000001')
    expect(data).toMatchObject({ progressPercent: 25, currentTaskIndex: 1 })
    expect(data.healthCheckCounts).toEqual({
      totalCount: 7,
      failingCount: 1,
      warningCount: 1,
      passingCount: 2,
      runningCount: 1,
      noDataCount: 1,
      canceledCount: 1,
    })
    const names = (tasks: { name: string; isOverdue: boolean }[]) => tasks.flatMap((t) => (t.isOverdue ? t.name : []))
    expect(names(data.tasks)).toContain('Safety course')
    expect(names(data.tasks)).not.toContain('Sign the contract')
    expect(new Set(data.customFields.map((field: { dataType: string }) => field.dataType)).size).toBe(10)
    expect(data.workflowFailures[0].validationErrors.translations).toHaveProperty('de')
  })

  it('has fields with owners of every kind', async () => {
    const { data } = await get('/v2/users?includeDeactivated=true')
    const owners = data.flatMap((user: { fieldOwnership: { owner: string }[] }) =>
      user.fieldOwnership.map(({ owner }) => owner),
    )
    expect(data).toHaveLength(15)
    expect(new Set(owners)).toEqual(new Set(['FIELD_OWNER_AUTOMATION', 'FIELD_OWNER_DIRECTORY', 'FIELD_OWNER_PINNED']))
  })

  it('has lists for both teams, in the order of the file', async () => {
    const ids = async (path: string) => (await get(path)).data.map(({ id }: { id: string }) => id)
    expect(await ids('/v2/app-instances?teamId=team_it')).toEqual([
      'app_forge',
      'app_directory',
      'app_vpn',
      'app_learning',
    ])
    expect(await ids('/v2/app-instances?teamId=team_people')).toEqual([
      'app_forge',
      'app_directory',
      'app_payroll',
      'app_learning',
      'app_badges',
    ])
    expect(await ids('/v2/teams/team_it/sla-definitions')).toEqual([
      'sla_urgent_response',
      'sla_resolution',
      'sla_old_resolution',
    ])
    expect(await ids('/v2/entity-ingestion-configs?teamId=team_people')).toHaveLength(2)
    expect(await ids('/v2/entity-field-mappings?entityTypeId=type_person')).toHaveLength(4)
    expect(await ids('/v2/department-options')).toHaveLength(6)
  })
})
