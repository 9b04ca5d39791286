import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  type JsonObject,
  ScalarType,
} from '@bufbuild/protobuf'
import { message as messageRules } from '../../gen/buf/validate/validate_pb.js'
import { FieldBehavior, field_behavior } from '../../gen/google/api/field_behavior_pb.js'
import { outputOnlyFields } from '../limits/output-only.js'
import { type Direction, fieldLimits, isRequired, itemLimits } from './field-limits.js'
import { defined, reference } from './fragments.js'
import type { SourceComments } from './source-comments.js'

/** Whether what a method returns is an answer, rather than a record that can be sent back. */
export function isAnswer({ output }: DescMethod): boolean {
  return output.name.endsWith('Response')
}

export type Schemas = ReturnType<typeof createSchemas>

/**
 * Collects JSON Schemas (draft 2020-12). What callers send is closed and requires what the schema marks; what they
 * receive is open to new fields and always has every field without presence. A message that travels both ways has both,
 * the first one with `Input` appended to its name.
 */
export function createSchemas(comments: SourceComments, outputs: readonly DescMessage[]) {
  const answered = reachableFrom(outputs)
  const schemas = new Map<string, { readonly typeName: string; schema: JsonObject }>()

  const refTo = (name: string, typeName: string, build: () => JsonObject): JsonObject => {
    const existing = schemas.get(name)
    if (existing !== undefined && existing.typeName !== typeName) {
      throw new Error(`${existing.typeName} and ${typeName} would both be the schema ${name}`)
    }
    if (existing === undefined) {
      // Registered before it is built, so that a message can contain itself.
      const entry = { typeName, schema: {} }
      schemas.set(name, entry)
      entry.schema = build()
    }
    return reference('schemas', name)
  }
  const enumRef = (desc: DescEnum) => refTo(schemaName(desc), desc.typeName, () => enumSchema(desc, comments))
  const messageRef = (message: DescMessage, direction: Direction): JsonObject => {
    const suffix = direction === 'input' && answered.has(message.typeName) ? 'Input' : ''
    return refTo(schemaName(message) + suffix, message.typeName, () => objectSchema(message, message.fields, direction))
  }

  /** The schema of a field by the JSON mapping of protobuf, with its comment, its limits and its marks. */
  function fieldSchema(field: DescField, direction: Direction): JsonObject {
    const description = comments(field)
    const limits = fieldLimits(field, direction)
    const isOutputOnly = getOption(field, field_behavior).includes(FieldBehavior.OUTPUT_ONLY)
    return {
      ...('oneOf' in limits ? {} : typeSchema(field, direction)),
      ...limits,
      ...defined({ description: description || undefined, readOnly: isOutputOnly || undefined }),
    }
  }

  function typeSchema(field: DescField, direction: Direction): JsonObject {
    const value = valueSchema(field, direction)
    if (field.fieldKind !== 'list' && field.fieldKind !== 'map') return value
    const item = { ...value, ...itemLimits(field, direction) }
    return field.fieldKind === 'list' ? { type: 'array', items: item } : { type: 'object', additionalProperties: item }
  }

  /** The schema of one value of a field, of an item if it is a list or a map. */
  function valueSchema({ message, enum: desc, scalar }: DescField, direction: Direction): JsonObject {
    if (desc !== undefined) return enumRef(desc)
    if (message === undefined) return scalarSchema(scalar)
    // Any JSON value: a schema without assertions.
    if (message.typeName === 'google.protobuf.Value') return {}
    if (message.typeName.startsWith('google.')) throw new Error(`${message.typeName} has no JSON schema here`)
    return messageRef(message, direction)
  }

  function objectSchema(message: DescMessage, fields: readonly DescField[], direction: Direction): JsonObject {
    const description = comments(message)
    const choices = choicesOf(message, direction)
    if (choices.length === 0) {
      const { properties, required } = plainObject(fields, direction)
      const ignored = direction === 'input' ? ignoredProperties(message) : {}
      return { description, ...closedOrOpen({ properties: { ...properties, ...ignored }, required }, direction) }
    }
    return {
      description,
      oneOf: choices.map((choice) => ({
        title: choice.chosen.jsonName,
        ...closedOrOpen(chosenObject(choice, choices, fields, direction), direction),
      })),
    }
  }

  /** The properties that a request may have beside its fields: they are ignored. */
  function ignoredProperties(message: DescMessage): JsonObject {
    const ignored = { readOnly: true, description: 'Ignored, so that what was read can be sent back.' }
    return Object.fromEntries(
      outputOnlyFields(message).map((field) => [field.jsonName, { ...typeSchema(field, 'output'), ...ignored }]),
    )
  }

  function plainObject(fields: readonly DescField[], direction: Direction) {
    const required = fields.filter((field) => (direction === 'input' ? isRequired(field) : isAlwaysAnswered(field)))
    return {
      properties: Object.fromEntries(fields.map((field) => [field.jsonName, fieldSchema(field, direction)])),
      required: required.map((field) => field.jsonName),
    }
  }

  /**
   * The object with one choice of fields. In a request, the fields of other choices are `null`, which means absent:
   * without them, the types that generators make would accept two choices at once.
   */
  function chosenObject(
    { chosen, beside }: Choice,
    choices: readonly Choice[],
    fields: readonly DescField[],
    direction: Direction,
  ) {
    const others = choices.map((each) => each.chosen).filter((field) => field !== chosen && !beside.includes(field))
    const left = fields.filter((field) => !others.includes(field))
    const { properties, required } = plainObject(left, direction)
    const absent = { type: 'null', description: `Must be absent if \`${chosen.jsonName}\` is present.` }
    const given = fieldSchema(chosen, direction)
    return {
      properties: {
        ...properties,
        [chosen.jsonName]: chosen.fieldKind === 'list' ? { ...given, minItems: 1 } : given,
        ...(direction === 'input' ? Object.fromEntries(others.map((field) => [field.jsonName, absent])) : {}),
      },
      required: [...new Set([chosen.jsonName, ...required])],
    }
  }

  return {
    messageRef,
    /**
     * The body of a request: the message without the fields that the path binds. `isForm`: other fields are ignored, as
     * OAuth asks for (RFC 6749, section 3.2).
     */
    bodyRef: (message: DescMessage, pathFields: ReadonlySet<DescField>, isForm: boolean) => {
      const fields = message.fields.filter((field) => !pathFields.has(field))
      const ref = refTo(schemaName(message), message.typeName, () => {
        const closed = objectSchema(message, fields, 'input')
        return isForm ? defined({ ...closed, additionalProperties: undefined }) : closed
      })
      return { ref, required: fields.some(isRequired) || choicesOf(message, 'input').length > 0 }
    },
    field: (field: DescField) => fieldSchema(field, 'input'),
    collected: (): JsonObject =>
      Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { schema }]) => [name, schema])),
  }
}

/** The types of this API's fields; JSON has other forms for the wider integers and for bytes. */
const scalarSchemas: Partial<Record<ScalarType, JsonObject>> = {
  [ScalarType.STRING]: { type: 'string' },
  [ScalarType.BOOL]: { type: 'boolean' },
  [ScalarType.INT32]: { type: 'integer', format: 'int32' },
  // ProtoJSON writes it in quotes, because numbers of JavaScript are not as exact.
  [ScalarType.INT64]: { type: 'string', pattern: '^-?[0-9]+$' },
}

function scalarSchema(scalar: ScalarType | undefined): JsonObject {
  const schema = scalar === undefined ? undefined : scalarSchemas[scalar]
  if (schema === undefined) throw new Error(`fields of the type ${ScalarType[scalar ?? 0]} have no JSON schema here`)
  return schema
}

export function schemaName(type: DescMessage | DescEnum): string {
  return type.typeName.slice(type.file.proto.package.length + 1).replaceAll('.', '')
}

export function enumSchema(desc: DescEnum, comments: SourceComments): JsonObject {
  const values = desc.values.map((value) => `- \`${value.name}\`: ${comments(value)}`)
  return {
    type: 'string',
    description: [comments(desc), values.join('\n')].join('\n\n'),
    enum: desc.values.map((value) => value.name),
  }
}

function closedOrOpen(
  { properties, required }: { readonly properties: JsonObject; readonly required: string[] },
  direction: Direction,
): JsonObject {
  return defined({
    type: 'object',
    properties,
    required: required.length > 0 ? required : undefined,
    additionalProperties: direction === 'input' ? false : undefined,
  })
}

/** Fields without presence are printed even at their default; `data` is present unless it is declared as optional. */
function isAlwaysAnswered(field: DescField): boolean {
  if (field.fieldKind === 'list' || field.fieldKind === 'map') return true
  if (field.fieldKind === 'message') {
    return field.name === 'data' && !getOption(field, field_behavior).includes(FieldBehavior.OPTIONAL)
  }
  return !field.proto.proto3Optional && field.oneof === undefined
}

function reachableFrom(messages: readonly DescMessage[]): ReadonlySet<string> {
  const reached = new Set<string>()
  const visit = (message: DescMessage): void => {
    if (reached.has(message.typeName)) return
    reached.add(message.typeName)
    for (const field of message.fields) if (field.message !== undefined) visit(field.message)
  }
  messages.forEach(visit)
  return reached
}

interface Choice {
  readonly chosen: DescField
  /** Fields of other choices that may be given beside it. */
  readonly beside: readonly DescField[]
}

/** Choices of requests in which other fields may be given beside the chosen one, by message and field name. */
export const requestChoices: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'svc.v2.CreateAccessPolicyApprovalProcedureRequest': { stages: ['steps'], steps: [] },
  'svc.v2.UpdateAccessPolicyApprovalProcedureRequest': { stages: ['steps'], steps: [] },
}

/** The choices of a message, of which exactly one must be made; empty if it has none. */
function choicesOf(message: DescMessage, direction: Direction): readonly Choice[] {
  const { oneof: exclusive } = getOption(message, messageRules)
  const names = exclusive.flatMap(({ fields }) => fields.map((name): [string, readonly string[]] => [name, []]))
  const ruled = direction === 'input' ? [...names, ...Object.entries(requestChoices[message.typeName] ?? {})] : []
  const [oneof, another] = message.oneofs
  const fieldNamed = (name: string): DescField => {
    const field = message.fields.find((each) => each.name === name)
    if (field === undefined) throw new Error(`${message.typeName} has no field ${name}`)
    return field
  }
  if (oneof === undefined) {
    return ruled.map(([name, beside]) => ({ chosen: fieldNamed(name), beside: beside.map(fieldNamed) }))
  }
  if (another !== undefined || ruled.length > 0) throw new Error(`${message.typeName} has more than one choice`)
  return oneof.fields.map((field) => ({ chosen: field, beside: [] }))
}
