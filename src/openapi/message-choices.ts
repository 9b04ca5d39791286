import { type DescField, type DescMessage, getOption } from '@bufbuild/protobuf'
import { message as messageRules } from '../../gen/buf/validate/validate_pb.js'
import type { Direction } from './field-limits.js'

/** One way to fill in a message in which a choice must be made. */
export interface Choice {
  readonly chosen: DescField
  /** Fields of other choices that may be given beside it. */
  readonly beside: readonly DescField[]
}

/** Choices of requests in which other fields may be given beside the chosen one, by message and field name. */
export const requestChoices: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'svc.v2.CreateAccessPolicyApprovalProcedureRequest': { stages: ['steps'], steps: [] },
}

/** The choices of a message, of which exactly one must be made; empty if it has none. */
export function choicesOf(message: DescMessage, direction: Direction): readonly Choice[] {
  const ruled =
    direction === 'input'
      ? [...exclusiveChoices(message), ...Object.entries(requestChoices[message.typeName] ?? {})]
      : []
  const [oneof, another] = message.oneofs
  if (oneof === undefined) {
    return ruled.map(([name, beside]) => ({
      chosen: fieldNamed(message, name),
      beside: beside.map((each) => fieldNamed(message, each)),
    }))
  }
  if (another !== undefined || ruled.length > 0) throw new Error(`${message.typeName} has more than one choice`)
  return oneof.fields.map((field) => ({ chosen: field, beside: [] }))
}

function exclusiveChoices(message: DescMessage): [string, readonly string[]][] {
  return getOption(message, messageRules).oneof.flatMap(({ fields }) =>
    fields.map((name): [string, string[]] => [name, []]),
  )
}

function fieldNamed(message: DescMessage, name: string): DescField {
  const field = message.fields.find((each) => each.name === name)
  if (field === undefined) throw new Error(`${message.typeName} has no field ${name}`)
  return field
}
