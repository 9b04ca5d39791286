import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type AuditEvent, actorOf, recordAuditEvents, systemActor } from '../../src/domain/audit/audit-event.js'
import type { Caller } from '../../src/domain/caller/caller.js'
import { auditActions, targetTypeOf } from '../../src/store/audit-action.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { createTestRuntime } from '../support/runtime.js'
import type { Database } from '../support/sql.js'

const runtime = createTestRuntime()
const caller: Caller = {
  kind: 'WORKER_TOKEN',
  id: 'key-1',
  name: 'Nightly',
  organizationId: 'org-1',
  reach: { scope: 'organization', permissions: new Set() },
}
const event: AuditEvent = {
  organizationId: 'org-1',
  action: 'user.update',
  targetId: 'user-1',
  changes: [{ field: 'JOB_TITLE', outcome: 'SKIPPED_PINNED', oldOwner: 'PINNED', newOwner: 'PINNED' }],
}

describe('audit events', () => {
  let database: TestDatabase
  let db: Database

  beforeAll(async () => {
    database = await createTestDatabase()
    db = database.open()
    await db.execute(`INSERT INTO organizations (id, name) VALUES ('org-1', 'Acme')`)
  })

  afterAll(() => database.drop())

  const stored = () => db.query(`SELECT * FROM audit_events ORDER BY id`)

  it('are written in the given order, with the actor and the changes in the words of the API', async () => {
    const other: AuditEvent = {
      organizationId: 'org-1',
      action: 'api_key.create',
      targetId: 'key-2',
      teamId: 'team-1',
    }
    await db.transaction(async (sql) => {
      await recordAuditEvents(sql, [event], { actor: actorOf(caller), requestId: 'request-1', runtime })
      await recordAuditEvents(sql, [other], { actor: systemActor, runtime })
    })
    expect(await stored()).toEqual([
      expect.objectContaining({
        actor_kind: 'WORKER',
        actor_id: 'key-1',
        actor_name: 'Nightly',
        action: 'user.update',
        target_type: 'user',
        target_id: 'user-1',
        team_id: '',
        request_id: 'request-1',
        changes: [
          {
            field: 'USER_PROFILE_FIELD_JOB_TITLE',
            outcome: 'FIELD_WRITE_OUTCOME_SKIPPED_PINNED',
            oldOwner: 'FIELD_OWNER_PINNED',
            newOwner: 'FIELD_OWNER_PINNED',
          },
        ],
      }),
      expect.objectContaining({ actor_kind: 'SYSTEM', actor_id: '', team_id: 'team-1', request_id: '', changes: [] }),
    ])
  })

  it('are about what the first word of their action names, or about what that belongs to', () => {
    const others = auditActions.filter((action) => !action.startsWith(`${targetTypeOf(action)}.`))
    expect(others.map((action) => [action, targetTypeOf(action)])).toEqual([
      ['access_token.revoke', 'api_key'],
      ['team_member.remove', 'user'],
      ['team_member.set', 'user'],
      ['user_relationship.create', 'user'],
      ['user_relationship.delete', 'user'],
      ['user_token.revoke', 'user'],
    ])
  })

  it('are rolled back with the transaction that they describe', async () => {
    const before = await stored()
    const work = db.transaction(async (sql) => {
      await recordAuditEvents(sql, [event], { actor: systemActor, runtime })
      throw new Error('the write failed')
    })
    await expect(work).rejects.toThrow('the write failed')
    expect(await stored()).toEqual(before)
  })
})
