import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { duplicateKey } from '../../src/transfer/duplicate-key.js'
import { createRecordJson } from '../../src/transfer/record-json.js'
import { demoLines } from './transfer-text.js'

const recordJson = createRecordJson()

describe('a record', () => {
  it('takes both names of fields, numbers for enum values and texts for whole numbers', () => {
    const text = '{"sla_definition":{"team_id":"t","metric":3,"target_duration_seconds":"60"}}'
    expect(recordJson.recordFromText(text)).toMatchObject({
      kind: 'slaDefinition',
      record: { teamId: 't', metric: 'SLA_METRIC_RESOLUTION', targetDurationSeconds: 60 },
    })
  })

  it('takes null for what is not given', () => {
    expect(recordJson.recordFromText('{"team":null,"priority":{"id":null,"isAiSelectable":null}}')).toMatchObject({
      kind: 'priority',
      record: { id: '', isAiSelectable: false },
    })
  })

  it('has every field without presence, and no other, in the order of the schema', () => {
    const { record } = recordJson.recordFromText('{"journey":{"name":"J"}}')
    expect(Object.keys(record)).toEqual([
      ...['id', 'teamId', 'friendlyIdentifier', 'name', 'description', 'createdAt', 'requesterUserId'],
      ...['requesterManagerUserId', 'tasks', 'healthChecks', 'workflowFailures', 'customFields'],
    ])
  })

  it('is a fixed point of writing and reading', () => {
    for (const text of demoLines) {
      const { kind, record } = recordJson.recordFromText(text)
      const written = recordJson.textFromRecord(kind, record)
      expect(recordJson.recordFromText(written)).toEqual({ kind, record })
      expect(recordJson.textFromRecord(kind, recordJson.recordFromText(written).record)).toBe(written)
    }
  })

  it('keeps a key that objects have by nature', () => {
    const text =
      '{"journey":{"workflowFailures":[{"validationErrors":{"fieldErrors":{"__proto__":"a","constructor":"b"}}}]}}'
    const { kind, record } = recordJson.recordFromText(text)
    expect(recordJson.textFromRecord(kind, record)).toContain('{"__proto__":"a","constructor":"b"}')
  })
})

describe('a key that stands twice in one object', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"b":[{"a":1},{"a":1,"a":2}]}', 'a'],
    [String.raw`{"a":1,"\u0061":2}`, 'a'],
    [String.raw`{"x\"y":1,"z":"}","x\"y":2}`, 'x"y'],
    ['{"":1,"b":{},"":2}', ''],
  ])('is found in %s', (json, key) => {
    expect(duplicateKey(json)).toBe(key)
  })

  it('is found nowhere in what a serializer writes', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => duplicateKey(JSON.stringify(value)) === undefined))
  })
})
