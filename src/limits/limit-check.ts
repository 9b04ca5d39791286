import { type DescField, type DescMessage, getOption, type Message } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { createValidator, type Violation } from '@bufbuild/protovalidate'
import { FieldBehavior, field_behavior } from '../../gen/google/api/field_behavior_pb.js'
import { ErrorReason as ErrorReasonValue } from '../../gen/svc/v2/error_reason_pb.js'
import { type Limit, limit } from '../../gen/svc/v2/limit_pb.js'
import { type ErrorReason, type FieldViolation, MAX_VIOLATIONS, refuseViolations, ServiceError } from '../errors.js'
import { createBlankCheck } from './blank-text.js'
import { limitWords } from './limit-words.js'
import { createSizeCheck } from './size-limit.js'

export interface LimitViolation extends FieldViolation {
  /** Whether the error has only the reason, without the field. */
  readonly unnamed: boolean
}

/** Finds the limits of the schema that a message breaks. */
export type LimitCheck = ReturnType<typeof createLimitCheck>

/**
 * Creates the check, which returns one violation per field, in the order of the schema, at most as many as an error
 * names. Computed fields are not checked. The rules of a message are compiled when one of its type is first checked.
 */
export function createLimitCheck() {
  const validator = createValidator({ regexMatch: createPatternTest() })
  const tooLargeIn = createSizeCheck()
  const blanksIn = createBlankCheck()
  return (desc: DescMessage, message: Message): LimitViolation[] => {
    const { kind, violations = [], error } = validator.validate(desc, message)
    if (kind === 'error') throw error
    const reflected = reflect(desc, message, false)
    const others = [...blanksIn(reflected), ...tooLargeIn(reflected)].map((each) => ({ ...each, unnamed: false }))
    return [...limitViolations(violations), ...others].slice(0, MAX_VIOLATIONS)
  }
}

/** Refuses a request that breaks limits. */
export function refuseLimits(violations: readonly LimitViolation[]): void {
  const [first] = violations
  if (first?.unnamed === true) throw new ServiceError(first.reason, `${first.field} ${first.description}`)
  refuseViolations(violations)
}

/** All patterns are those of our schema and take linear time, so the engine of JavaScript can replace RE2. */
function createPatternTest(): (pattern: string, text: string) => boolean {
  const patterns = new Map<string, RegExp>()
  return (pattern, text) => {
    const compiled = patterns.get(pattern) ?? new RegExp(pattern, 'u')
    patterns.set(pattern, compiled)
    return compiled.test(text)
  }
}

function limitViolations(violations: readonly Violation[]): LimitViolation[] {
  const byField = new Map<string, LimitViolation>()
  for (const violation of violations) {
    if (byField.size === MAX_VIOLATIONS) break
    if (violation.field.some((part) => part.kind === 'field' && isComputed(part))) continue
    const field = pathOf(violation)
    if (!byField.has(field)) byField.set(field, limitViolation(field, violation))
  }
  return [...byField.values()]
}

function isComputed(field: DescField): boolean {
  return getOption(field, field_behavior).includes(FieldBehavior.OUTPUT_ONLY)
}

function limitViolation(field: string, violation: Violation): LimitViolation {
  const last = violation.field.at(-1)
  const declared: Partial<Limit> = last?.kind === 'field' ? getOption(last, limit) : {}
  // An empty address counts as missing.
  const isMissing = violation.ruleId === 'required' || violation.ruleId === 'string.email_empty'
  const ofValue = declared.reason ? (ErrorReasonValue[declared.reason] as ErrorReason) : 'FIELD_INVALID'
  const reason = isMissing ? 'FIELD_REQUIRED' : ofValue
  return {
    field,
    description: declared.description || limitWords(violation),
    reason,
    unnamed: declared.unnamed ?? false,
  }
}

/** The path as JSON requests spell it, such as `profiles[3].email`; a fault of a key is one of its map. */
function pathOf({ field, forKey }: Violation): string {
  let path = ''
  for (const part of forKey ? field.slice(0, -1) : field) {
    if (part.kind === 'field') path += path === '' ? part.jsonName : `.${part.jsonName}`
    else if (part.kind === 'list_sub') path += `[${part.index}]`
    else if (part.kind === 'map_sub') path += `[${JSON.stringify(part.key)}]`
  }
  return path
}
