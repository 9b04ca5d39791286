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
  'svc.v2.UpdateAccessPolicyApprovalProcedureRequest': { stages: ['steps'], steps: [] },
}

/** The choices of a message, of which exactly one must be made; empty if it has none. */
export function choicesOf(message: DescMessage, direction: Direction): readonly Choice[] {
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
