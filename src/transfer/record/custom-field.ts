import { nameLimits, optionalNameLimits, type TextLimits } from '../../domain/value/text-field.js'
import { timestampOf } from '../../domain/value/timestamp.js'
import { invalidField } from '../../errors.js'
import { enumOf, requireDistinct, textOf, textsOf } from '../field-values.js'

/** The value of a custom field in the JSON of the API. */
export interface CustomFieldJson {
  readonly fieldId: string
  readonly fieldKey: string
  readonly fieldName: string
  readonly dataType: string
  readonly value?: unknown
}

const valueLimits: TextLimits = { max: 10_000, multiline: true }

/** The custom fields as rows. Throws a ServiceError where a value is not of its data type. */
export function customFieldRowsOf(fields: readonly CustomFieldJson[]) {
  requireDistinct(
    fields.map((field) => field.fieldId),
    (index) => `customFields[${index}].fieldId`,
  )
  return fields.map((customField, index) => {
    const field = `customFields[${index}]`
    const dataType = enumOf(customField.dataType, 'DATA_TYPE_')
    return {
      fieldId: textOf(`${field}.fieldId`, customField.fieldId, nameLimits),
      fieldKey: textOf(`${field}.fieldKey`, customField.fieldKey, optionalNameLimits),
      fieldName: textOf(`${field}.fieldName`, customField.fieldName, optionalNameLimits),
      dataType: dataType,
      value: customField.value == null ? null : fieldValueOf(`${field}.value`, dataType, customField.value),
    }
  })
}

function fieldValueOf(field: string, dataType: string, value: unknown): unknown {
  switch (dataType) {
    case 'NUMBER':
      if (typeof value !== 'number') throw invalidField(field, 'must be a number')
      return value
    case 'BOOL':
      if (typeof value !== 'boolean') throw invalidField(field, 'must be true or false')
      return value
    case 'MULTI_SELECT':
      return textListOf(field, value)
    case 'TIMESTAMP':
      return timestampOf(field, textValueOf(field, value)) ?? ''
    case 'UNSPECIFIED':
      if (typeof value === 'number' || typeof value === 'boolean') return value
      return Array.isArray(value) ? textListOf(field, value) : textValueOf(field, value)
    default:
      return textValueOf(field, value)
  }
}

function textValueOf(field: string, value: unknown): string {
  if (typeof value !== 'string') throw invalidField(field, 'must be a text')
  return textOf(field, value, valueLimits)
}

function textListOf(field: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return textsOf(field, value, valueLimits)
  throw invalidField(field, 'must be a list of texts')
}
