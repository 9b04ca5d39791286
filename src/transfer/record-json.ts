import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { ImportRecordSchema, UserRecordSchema } from '../../gen/svc/v2/import_record_pb.js'
import { JourneySchema, JourneyTaskSchema } from '../../gen/svc/v2/journey_pb.js'
import { invalidField, ServiceError } from '../errors.js'
import { recordKinds } from '../store/transfer/record-kind.js'
import { duplicateKey } from './duplicate-key.js'
import type { TransferRecord } from './record-kind.js'
import { createRecordReader } from './record-reader.js'

/** Fields that are computed from others when they are read. */
const computedFields: ReadonlySet<string> = new Set([
  `${JourneySchema.typeName}.progress_percent`,
  `${JourneySchema.typeName}.current_task_index`,
  `${JourneySchema.typeName}.health_check_counts`,
  `${JourneyTaskSchema.typeName}.is_overdue`,
  `${UserRecordSchema.typeName}.name`,
])

/** Turns lines into records and records into lines. */
export interface RecordJson {
  /** Throws a ServiceError that says what is wrong with the line, and in which field. */
  recordFromText(text: string): TransferRecord
  /** The line with its end; the record may have null for what is absent. */
  textFromRecord(kind: TransferRecord['kind'], record: unknown): string
}

/** Makes the pair for `svc.v2.ImportRecord`. */
export function createRecordJson(): RecordJson {
  const read = createRecordReader(ImportRecordSchema, computedFields)
  return {
    recordFromText: (text) => {
      const parsed = parse(text)
      const repeated = duplicateKey(text)
      if (repeated !== undefined)
        throw new ServiceError('MALFORMED_REQUEST', `the key "${repeated}" stands twice in one object`)
      return recordFromMember(read(parsed, ''))
    },
    textFromRecord: (kind, record) => `${JSON.stringify(read({ [kind]: record } as JsonObject, ''))}\n`,
  }
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch (error) {
    throw new ServiceError('MALFORMED_REQUEST', `is not JSON: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    })
  }
}

/** The reader has seen to it that the record has the shape of its kind. */
function recordFromMember(member: JsonObject): TransferRecord {
  for (const kind of recordKinds) {
    const record = member[kind]
    if (record !== undefined) return { kind, record } as unknown as TransferRecord
  }
  throw invalidField('record', `must have one of ${recordKinds.join(', ')}`)
}
