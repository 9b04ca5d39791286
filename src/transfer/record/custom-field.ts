import { fromJson, type JsonValue, toJson } from '@bufbuild/protobuf'
import { ValueSchema } from '@bufbuild/protobuf/wkt'
import { type CustomField, DataType } from '../../../gen/svc/v2/journey_pb.js'
import { type TextLimits, textFault } from '../../domain/value/free-text.js'
import { timestampOf } from '../../domain/value/timestamp.js'
import { invalidField } from '../../errors.js'

/** A `google.protobuf.Value` has no rules in the schema. */
const textLimits: TextLimits = { max: 10_000, multiline: true }

/** Refuses a value that is not of its data type, and normalizes times. `null` means no value. */
export function settleCustomField(field: string, customField: CustomField): void {
  const { dataType, value } = customField
  if (value === undefined || value.kind.case === 'nullValue') return
  const json = toJson(ValueSchema, value)
  const type = dataType === DataType.UNSPECIFIED ? typeOf(json) : dataType
  if (type === DataType.NUMBER) {
    if (typeof json !== 'number') throw invalidField(field, 'must be a number')
  } else if (type === DataType.BOOL) {
    if (typeof json !== 'boolean') throw invalidField(field, 'must be true or false')
  } else if (type === DataType.MULTI_SELECT) {
    requireTexts(field, json)
  } else {
    const text = textOf(field, json)
    if (type === DataType.TIMESTAMP) customField.value = fromJson(ValueSchema, timestampOf(field, text) ?? '')
  }
}

/** The data type of a value whose type is unspecified. */
function typeOf(json: JsonValue): DataType {
  if (typeof json === 'number') return DataType.NUMBER
  if (typeof json === 'boolean') return DataType.BOOL
  return Array.isArray(json) ? DataType.MULTI_SELECT : DataType.TEXT
}

function textOf(field: string, json: JsonValue): string {
  if (typeof json !== 'string') throw invalidField(field, 'must be a string')
  const fault = textFault(json, textLimits)
  if (fault !== undefined) throw invalidField(field, fault)
  return json
}

function requireTexts(field: string, json: JsonValue): void {
  if (!Array.isArray(json) || !json.every((item) => typeof item === 'string')) {
    throw invalidField(field, 'must be a list of strings')
  }
  for (const [index, item] of json.entries()) textOf(`${field}[${index}]`, item)
}
