import { toJsonString } from '@bufbuild/protobuf'
import { ConnectError } from '@connectrpc/connect'
import { type ImportRecord, ImportRecordSchema } from '../../gen/svc/v2/import_record_pb.js'
import { invalidField, invalidFields, ServiceError } from '../errors.js'
import { createLimitCheck } from '../limits/limit-check.js'
import { reservedIdFault } from '../limits/reserved-id.js'
import { messageFromJson } from '../protojson/json-reader.js'
import { NO_JSON_LIMITS } from '../protojson/json-text.js'
import { type RecordKind, recordKinds } from '../store/transfer/kind.js'
import { createMomentSetter } from './message-moments.js'

/** One record with its kind: the member of `svc.v2.ImportRecord` that a line has. */
export type TransferRecord = Extract<ImportRecord['resource'], { readonly case: RecordKind }>

/** A line: a record, and its organization where the line says which. */
export type TransferLine = ImportRecord & { readonly resource: TransferRecord }

export type RecordOf<Kind extends RecordKind> = Extract<TransferRecord, { readonly case: Kind }>['value']

export type RecordReader = ReturnType<typeof createRecordReader>

/**
 * Makes the reader of lines, each a `svc.v2.ImportRecord` within the limits of the schema. Its two functions throw a
 * ServiceError that says what is wrong with the line, and in which field or column.
 */
export function createRecordReader(check = createLimitCheck()) {
  const setMoments = createMomentSetter()
  const checked = (message: ImportRecord): TransferLine => {
    const { resource } = message
    if (resource.case === undefined) throw invalidField('record', `must have one of ${recordKinds.join(', ')}`)
    const [violation] = check(ImportRecordSchema, message)
    if (violation !== undefined) throw invalidFields([violation])
    const fault = reservedIdFault(resource.value.id)
    if (fault !== undefined) throw invalidField(`${resource.case}.id`, fault)
    setMoments(ImportRecordSchema, message)
    return Object.assign(message, { resource })
  }
  return {
    fromText: (text: string): TransferLine => {
      requireStorable(text)
      const line = checked(recordFrom(text))
      const { case: kind, value } = line.resource
      if ('organizationId' in value && value.organizationId === '') {
        throw invalidField(`${kind}.organizationId`, 'is required', 'FIELD_REQUIRED')
      }
      return line
    },
    /** Reads a message, and changes it in place. */
    fromMessage: (message: ImportRecord): TransferLine => {
      requireStorable(textOf(message))
      return checked(message)
    },
  }
}

function textOf(record: ImportRecord): string {
  try {
    return toJsonString(ImportRecordSchema, record)
  } catch (cause) {
    throw new ServiceError('FIELD_INVALID', `${record.resource.case}: has a value that JSON cannot express`, { cause })
  }
}

function recordFrom(text: string): ImportRecord {
  try {
    return messageFromJson(ImportRecordSchema, text, { closedEnums: true, limits: NO_JSON_LIMITS, root: '' })
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error
    // A line is a single line of JSON, so its column is enough.
    const message = error.rawMessage.replace('invalid JSON at line 1, column', 'invalid JSON at column')
    throw new ServiceError('MALFORMED_REQUEST', message, { cause: error })
  }
}

/** Refuses U+0000, which PostgreSQL cannot store. In JSON it can only occur as an escape. */
function requireStorable(text: string): void {
  const found = text.includes('\\u0000') ? /(?<!\\)(?:\\\\)*\\u0000/.exec(text) : null
  if (found === null) return
  throw new ServiceError('MALFORMED_REQUEST', `invalid text at column ${found.index + 1}: U+0000 cannot be stored`)
}

/** The local names of the fields that a line, which has been read, gives its record: `null` gives nothing. */
export function givenFields(text: string, { resource }: TransferLine): string[] {
  const member = ImportRecordSchema.field[resource.case]
  if (member?.message === undefined) throw new Error(`an import record has no ${resource.case}`)
  const line: Record<string, Record<string, unknown>> = JSON.parse(text)
  const given = line[member.jsonName] ?? line[member.name] ?? {}
  const isGiven = (name: string) => given[name] !== undefined && given[name] !== null
  return member.message.fields.flatMap(({ localName, jsonName, name }) =>
    isGiven(jsonName) || isGiven(name) ? localName : [],
  )
}
