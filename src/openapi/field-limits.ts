import { type DescField, getOption, type JsonObject, ScalarType } from '@bufbuild/protobuf'
import {
  type FieldRules,
  field as fieldRules,
  Ignore,
  type Int32Rules,
  type StringRules,
} from '../../gen/buf/validate/validate_pb.js'
import { moment } from '../../gen/svc/v2/limit_pb.js'
import { defined } from './fragments.js'

/** Whether a schema describes what callers send or what they get. */
export type Direction = 'input' | 'output'

/** The limits of a field beyond its type, as JSON Schema. */
export function fieldLimits(field: DescField, direction: Direction): JsonObject {
  const rules = getOption(field, fieldRules)
  const { type } = rules
  if (type.case === 'int32') {
    return integerLimits(type.value, direction === 'input' && rules.ignore === Ignore.IF_ZERO_VALUE)
  }
  if (type.case === 'repeated') {
    const { minItems, maxItems } = type.value
    return defined({ minItems: Number(minItems) || undefined, maxItems: Number(maxItems) || undefined })
  }
  const isText = field.fieldKind === 'scalar' && field.scalar === ScalarType.STRING
  return isText ? { ...textLimits(rules, direction), ...momentForm(field, direction) } : {}
}

/** The limits of each item of a list, or each value of a map, as JSON Schema. */
export function itemLimits(field: DescField, direction: Direction): JsonObject {
  const { type } = getOption(field, fieldRules)
  const items = type.case === 'repeated' ? type.value.items : type.case === 'map' ? type.value.values : undefined
  return items === undefined ? {} : textLimits(items, direction)
}

/** Whether callers must give the field: without a value it breaks its rules. */
export function isRequired(field: DescField): boolean {
  const { required, type } = getOption(field, fieldRules)
  if (type.case === 'repeated') return required || type.value.minItems > 0
  return required || (type.case === 'string' && type.value.const !== '')
}

function textLimits({ required, ignore, type }: FieldRules, direction: Direction): JsonObject {
  const rules: Partial<StringRules> = type.case === 'string' ? type.value : {}
  const { const: only, minLen = 0n, maxLen = 0n, pattern, in: values = [], wellKnown } = rules
  // An empty value then means none, and has no form.
  const mayBeEmpty = ignore === Ignore.IF_ZERO_VALUE
  const least = required && minLen === 0n ? 1 : Number(minLen)
  return defined({
    const: only || undefined,
    minLength: least || undefined,
    maxLength: Number(maxLen) || undefined,
    // Responses print whatever is stored, even from before there was a pattern.
    pattern: (direction === 'input' && pattern) || undefined,
    // Without the empty value, which generators cannot name: leaving the field out says the same.
    enum: values.length === 0 ? undefined : values,
    format: mayBeEmpty ? undefined : wellKnown?.case,
  })
}

/** Each alternative states the type itself: beside a type, generators treat the alternatives as unknown. */
function integerLimits({ greaterThan, lessThan }: Int32Rules, orZero: boolean): JsonObject {
  const limits = defined({
    minimum: greaterThan.case === 'gte' ? greaterThan.value : undefined,
    maximum: lessThan.case === 'lte' ? lessThan.value : undefined,
  })
  const type = 'integer'
  return orZero
    ? {
        oneOf: [
          { type, enum: [0] },
          { type, format: 'int32', ...limits },
        ],
      }
    : limits
}

/** Callers can write a time in any form of RFC 3339; answers use only one. */
function momentForm(field: DescField, direction: Direction): JsonObject {
  if (!getOption(field, moment)) return {}
  if (direction === 'input') return { format: 'date-time' }
  return {
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
    examples: ['2026-01-31T09:05:00.000Z'],
  }
}
