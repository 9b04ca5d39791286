import {
  type DescEnum,
  type DescField,
  type DescMessage,
  getOption,
  type JsonObject,
  ScalarType,
} from '@bufbuild/protobuf'
import { FieldBehavior, field_behavior } from '../../gen/google/api/field_behavior_pb.js'
import { type Direction, fieldLimits, itemLimits } from './field-limits.js'
import { defined } from './fragments.js'
import type { SourceComments } from './source-comments.js'

/** What the schema of a field refers to. */
export interface SchemaNames {
  readonly comments: SourceComments
  readonly messageRef: (message: DescMessage, direction: Direction) => JsonObject
  readonly enumRef: (desc: DescEnum) => JsonObject
}

/** The JSON Schema of a field by the JSON mapping of protobuf, with its comment, its limits and its marks. */
export function fieldSchema(field: DescField, direction: Direction, names: SchemaNames): JsonObject {
  const description = names.comments(field)
  const limits = fieldLimits(field, direction)
  const isOutputOnly = getOption(field, field_behavior).includes(FieldBehavior.OUTPUT_ONLY)
  return {
    ...('oneOf' in limits ? {} : typeSchema(field, direction, names)),
    ...limits,
    ...defined({ description: description || undefined, readOnly: isOutputOnly || undefined }),
  }
}

function typeSchema(field: DescField, direction: Direction, names: SchemaNames): JsonObject {
  switch (field.fieldKind) {
    case 'scalar':
      return scalarSchema(field.scalar)
    case 'enum':
      return names.enumRef(field.enum)
    case 'message':
      return messageSchema(field.message, direction, names)
    case 'list':
      return { type: 'array', items: itemSchema(field, direction, names) }
    case 'map':
      return { type: 'object', additionalProperties: itemSchema(field, direction, names) }
  }
}

function itemSchema(field: DescField & { fieldKind: 'list' | 'map' }, direction: Direction, names: SchemaNames) {
  if (field.message !== undefined) return messageSchema(field.message, direction, names)
  if (field.enum !== undefined) return names.enumRef(field.enum)
  return { ...scalarSchema(field.scalar), ...itemLimits(field, direction) }
}

function messageSchema(message: DescMessage, direction: Direction, names: SchemaNames): JsonObject {
  // Any JSON value: a schema without assertions.
  if (message.typeName === 'google.protobuf.Value') return {}
  if (message.typeName.startsWith('google.')) throw new Error(`${message.typeName} has no JSON schema here`)
  return names.messageRef(message, direction)
}

/** The types of this API's fields; JSON has other forms for the wider integers and for bytes. */
const scalarSchemas: Partial<Record<ScalarType, JsonObject>> = {
  [ScalarType.STRING]: { type: 'string' },
  [ScalarType.BOOL]: { type: 'boolean' },
  [ScalarType.INT32]: { type: 'integer', format: 'int32' },
  // ProtoJSON writes it in quotes, because numbers of JavaScript are not as exact.
  [ScalarType.INT64]: { type: 'string', pattern: '^-?[0-9]+$' },
}

function scalarSchema(scalar: ScalarType): JsonObject {
  const schema = scalarSchemas[scalar]
  if (schema === undefined) throw new Error(`fields of the type ${ScalarType[scalar]} have no JSON schema here`)
  return schema
}
