import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { ActorKind } from '../../gen/prisma/enums.js'
import { AuditLogService, FieldWriteOutcomeSchema } from '../../gen/svc/v2/audit_log_pb.js'
import { fieldOwners, governedFields } from '../../src/domain/profile/field-ownership.js'
import { fixture, insertApiKey, insertFixture, insertRow } from '../support/fixture.js'
import { awkwardTexts, pathOf, standardJson } from '../support/printed-lists.js'
import { startTestService, type TestService } from '../support/service.js'

const outcomes = FieldWriteOutcomeSchema.values.slice(1).map(({ name }) => name)
const changes = governedFields.map((field, index) => ({
  field: `USER_PROFILE_FIELD_${field}`,
  outcome: outcomes[index % outcomes.length],
  oldOwner: `FIELD_OWNER_${fieldOwners[index % 3]}`,
  newOwner: `FIELD_OWNER_${fieldOwners[(index + 1) % 3]}`,
}))

// Over JSON the list goes from the database to the client as text; in binary it is made of messages.
describe('the JSON of a list of audit events', () => {
  let service: TestService
  let token: string
  const method = AuditLogService.method.listAuditEvents

  beforeAll(async () => {
    service = await startTestService()
    await insertFixture(service.database)
    token = (await insertApiKey(service.database, { organizationId: fixture.acme })).token
    for (const [index, actor_kind] of Object.values(ActorKind).entries()) {
      const text = awkwardTexts[index % awkwardTexts.length]
      await insertRow(service.database, 'audit_events', {
        id: `018f3b7a-0000-7000-8000-00000000000${index}`,
        organization_id: fixture.acme,
        actor_kind,
        occurred_at: `2026-01-0${index + 1}T00:00:00.0${index}Z`,
        actor_id: text,
        actor_name: text,
        action: text,
        target_type: text,
        target_id: text,
        team_id: text,
        request_id: text,
        changes: JSON.stringify([[], changes][index % 2]),
      })
    }
  })
  afterAll(() => service.stop())

  it.each([0, 1, 5, 6])('equals that of its messages byte for byte, for pages of %i', async (pageSize) => {
    const standard = await standardJson(service, method, { token, request: { pageSize } })
    expect((await service.rest('GET', `/v2/audit-events?pageSize=${pageSize}`, { token })).text).toBe(`${standard}\n`)
    expect((await service.rest('POST', pathOf(method), { token, json: { pageSize } })).text).toBe(standard)
  })

  it('prints every change as it was stored', async () => {
    const { json } = await service.rest('GET', '/v2/audit-events', { token })
    expect(json.data.map((event: { changes: unknown }) => event.changes)).toEqual([
      changes,
      [],
      changes,
      [],
      changes,
      [],
    ])
    expect(json.data[5]).toMatchObject({ occurredAt: '2026-01-01T00:00:00.000Z', actor: { name: awkwardTexts[0] } })
  })
})
