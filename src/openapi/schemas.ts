import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  type JsonObject,
} from '@bufbuild/protobuf'
import { message as messageRules } from '../../gen/buf/validate/validate_pb.js'
import { FieldBehavior, field_behavior } from '../../gen/google/api/field_behavior_pb.js'
import { type Direction, isRequired } from './field-limits.js'
import { fieldSchema, type SchemaNames } from './field-schema.js'
import { defined, reference } from './fragments.js'
import type { SourceComments } from './source-comments.js'

/** Whether what a method returns is an answer, rather than a record that can be sent back. */
export function isAnswer({ output }: DescMethod): boolean {
  return output.name.endsWith('Response')
}

/** The schemas of a document, collected while they are referred to. */
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
    const held = schemas.get(name)
    if (held !== undefined && held.typeName !== typeName) {
      throw new Error(`${held.typeName} and ${typeName} would both be the schema ${name}`)
    }
    if (held === undefined) {
      // Registered before it is built, so that a message can contain itself.
      const entry = { typeName, schema: {} }
      schemas.set(name, entry)
      entry.schema = build()
    }
    return reference('schemas', name)
  }
  const names: SchemaNames = {
    comments,
    messageRef: (message, direction) => {
      const suffix = direction === 'input' && answered.has(message.typeName) ? 'Input' : ''
      return refTo(schemaName(message) + suffix, message.typeName, () =>
        objectSchema(message, message.fields, direction, names),
      )
    },
    enumRef: (desc) => refTo(schemaName(desc), desc.typeName, () => enumSchema(desc, comments)),
  }
  return {
    messageRef: names.messageRef,
    /**
     * The body of a request: the message without the fields that the path binds. `isForm`: other fields are ignored, as
     * OAuth asks for (RFC 6749, section 3.2).
     */
    bodyRef: (message: DescMessage, pathFields: ReadonlySet<DescField>, isForm: boolean) => {
      const fields = message.fields.filter((field) => !pathFields.has(field))
      const ref = refTo(schemaName(message), message.typeName, () => {
        const closed = objectSchema(message, fields, 'input', names)
        return isForm ? defined({ ...closed, additionalProperties: undefined }) : closed
      })
      return { ref, required: fields.some(isRequired) || choicesOf(message, 'input').length > 0 }
    },
    /** A field by itself, as a parameter. */
    field: (field: DescField) => fieldSchema(field, 'input', names),
    /** All schemas that were referred to, by name. */
    collected: (): JsonObject =>
      Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { schema }]) => [name, schema])),
  }
}

/** The name of a type in the document: without the package, nested names joined. */
export function schemaName(type: DescMessage | DescEnum): string {
  return type.typeName.slice(type.file.proto.package.length + 1).replaceAll('.', '')
}

/** The schema of an enum: its names, each with its comment. */
export function enumSchema(desc: DescEnum, comments: SourceComments): JsonObject {
  const values = desc.values.map((value) => `- \`${value.name}\`: ${comments(value)}`)
  return {
    type: 'string',
    description: [comments(desc), values.join('\n')].join('\n\n'),
    enum: desc.values.map((value) => value.name),
  }
}

function objectSchema(
  message: DescMessage,
  fields: readonly DescField[],
  direction: Direction,
  names: SchemaNames,
): JsonObject {
  const description = names.comments(message)
  const choices = choicesOf(message, direction)
  if (choices.length === 0) return { description, ...closedOrOpen(plainObject(fields, direction, names), direction) }
  return {
    description,
    oneOf: choices.map((choice) => ({
      title: choice.chosen.jsonName,
      ...closedOrOpen(chosenObject(choice, choices, fields, direction, names), direction),
    })),
  }
}

function plainObject(fields: readonly DescField[], direction: Direction, names: SchemaNames) {
  const required = fields.filter((field) => (direction === 'input' ? isRequired(field) : isAlwaysAnswered(field)))
  return {
    properties: Object.fromEntries(fields.map((field) => [field.jsonName, fieldSchema(field, direction, names)])),
    required: required.map((field) => field.jsonName),
  }
}

/**
 * The object in which one choice is made. Fields that callers must not give beside it are there as `null`, which means
 * not given: without that, the types that generators make would accept two choices at once.
 */
function chosenObject(
  { chosen, beside }: Choice,
  choices: readonly Choice[],
  fields: readonly DescField[],
  direction: Direction,
  names: SchemaNames,
) {
  const others = choices.map((each) => each.chosen).filter((field) => field !== chosen && !beside.includes(field))
  const { properties, required } = plainObject(
    fields.filter((field) => !others.includes(field)),
    direction,
    names,
  )
  const absent = { type: 'null', description: `Must be absent if \`${chosen.jsonName}\` is present.` }
  const given = fieldSchema(chosen, direction, names)
  return {
    properties: {
      ...properties,
      [chosen.jsonName]: chosen.fieldKind === 'list' ? { ...given, minItems: 1 } : given,
      ...(direction === 'input' ? Object.fromEntries(others.map((field) => [field.jsonName, absent])) : {}),
    },
    required: [...new Set([chosen.jsonName, ...required])],
  }
}

function closedOrOpen({ properties, required }: ReturnType<typeof plainObject>, direction: Direction): JsonObject {
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

/** One way to fill in a message in which a choice must be made. */
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
