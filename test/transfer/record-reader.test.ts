import { toJson } from '@bufbuild/protobuf'
import { describe, expect, it } from '@jest/globals'
import { ImportRecordSchema } from '../../gen/svc/v2/import_record_pb.js'
import { createRecordReader } from '../../src/transfer/record-reader.js'
import { priority, uuid } from './record-lines.js'
import { demoLines, line } from './transfer-text.js'

const read = createRecordReader().fromText

/** What is read of a line, as JSON with every field without presence. */
function readJson(text: string): Record<string, unknown> {
  return Object(toJson(ImportRecordSchema, read(text), { alwaysEmitImplicit: true }))
}

describe('a record', () => {
  it('accepts both names of fields, numbers for enum values and strings for integers', () => {
    const text = '{"sla_definition":{"id":"s","team_id":"t","name":"S","metric":3,"target_duration_seconds":"60"}}'
    expect(readJson(text)).toMatchObject({
      slaDefinition: { teamId: 't', metric: 'SLA_METRIC_RESOLUTION', targetDurationSeconds: 60 },
    })
  })

  it('treats null as absent', () => {
    const text =
      '{"team":null,"priority":{"id":"p","teamId":"t","priority":"P","name":"N","scopedId":null,"isAiSelectable":null}}'
    expect(readJson(text)).toMatchObject({ priority: { scopedId: '', isAiSelectable: false } })
  })

  it('is the same when written and read again', () => {
    for (const text of demoLines) expect(readJson(JSON.stringify(readJson(text)))).toEqual(readJson(text))
  })

  it('keeps a key that is also a built-in property of objects', () => {
    const fieldErrors = JSON.parse('{"__proto__":"a","constructor":"b"}')
    const workflowFailures = [{ validationErrors: { fieldErrors } }]
    const text = line('journey', { id: uuid(1), teamId: 't', name: 'J', workflowFailures })
    expect(JSON.stringify(readJson(text))).toContain('{"__proto__":"a","constructor":"b"}')
  })

  it('distinguishes an escaped backslash before u0000 from U+0000', () => {
    expect(readJson(priority({ name: String.raw`\u0000` }))).toMatchObject({ priority: { name: String.raw`\u0000` } })
  })

  it('has all timestamps in UTC with milliseconds, and no empty one', () => {
    const call = { createdAt: '2026-01-31T10:05:00.1239+01:00', statusUpdatedAt: '' }
    const tasks = [{ id: uuid(2), name: 'T', latestWorkflowCall: call }]
    const { journey } = readJson(line('journey', { id: uuid(1), teamId: 't', name: 'J', archivedAt: '', tasks }))
    expect(journey).not.toHaveProperty('archivedAt')
    expect(journey).toMatchObject({
      createdAt: '',
      tasks: [{ latestWorkflowCall: { createdAt: '2026-01-31T09:05:00.123Z' } }],
    })
    expect(Object(journey).tasks[0].latestWorkflowCall).not.toHaveProperty('statusUpdatedAt')
  })
})
