import { type DescEnum, type DescField, getOption } from '@bufbuild/protobuf'
import type { Violation } from '@bufbuild/protovalidate'
import {
  type EnumRules,
  type FieldRules,
  field as fieldRules,
  Ignore,
  type Int32Rules,
  message as messageRules,
  type RepeatedRules,
  type StringRules,
} from '../../gen/buf/validate/validate_pb.js'
import { ApprovalProcedureSchema } from '../../gen/svc/v2/access_policy_approval_procedure_pb.js'
import { limit } from '../../gen/svc/v2/limit_pb.js'
import { maxPageSize, textRulesOf } from './known-limits.js'

/** The fault of a text that is not an email address. */
export const NO_EMAIL_ADDRESS = 'must be an email address such as ada@example.com'

/** Says in words what a value that breaks a limit must be. */
export function limitWords({ field: path, ruleId, forKey, message }: Violation): string {
  const last = path.at(-1)
  if (last?.kind === 'oneof') {
    const names = last.fields.map(({ jsonName }) => jsonName)
    return `must have one of ${listed(names, 'and')}`
  }
  if (ruleId === 'message.oneof') return choiceWords(path)
  if (ruleId === 'required' || ruleId === 'string.email_empty') return 'is required'
  const field = path.findLast((part) => part.kind === 'field')
  if (field === undefined) return message
  const rules = rulesAt(getOption(field, fieldRules), { isPart: last !== field, forKey })
  const { type } = rules
  if (type.case === 'string') return textWords(type.value, rules, ruleId)
  if (type.case === 'int32') return integerWords(type.value, rules, getOption(field, limit).zeroIs)
  if (type.case === 'repeated') return listWords(type.value)
  return type.case === 'enum' && field.enum !== undefined ? enumWords(type.value, field.enum) : message
}

/** The rules of a field, or of an item, a key or a value in it. */
function rulesAt(rules: FieldRules, { isPart, forKey }: { isPart: boolean; forKey: boolean }): FieldRules {
  const { type } = rules
  if (!isPart) return rules
  if (type.case === 'repeated') return type.value.items ?? rules
  return (type.case === 'map' ? (forKey ? type.value.keys : type.value.values) : undefined) ?? rules
}

/** What a text must be; `ruleId` is the rule that it breaks. */
function textWords(rules: StringRules, { required, ignore }: FieldRules, ruleId: string): string {
  const { const: only, minLen, maxLen, pattern, in: values, wellKnown } = rules
  if (wellKnown.case === 'uuid') return 'must be a UUID such as 0190b8f4-5d2e-7c3a-9b1f-2d6e8a4c7f10'
  if (values.length > 0) {
    const choices = values.map((value) => value || 'empty')
    return `must be ${listed(choices, 'or')}`
  }
  if (only !== '') return `must be ${only}`
  const [, characters] = /^\^\[([^^].*)\]\*\$$/.exec(pattern) ?? []
  const least = required || ignore === Ignore.IF_ZERO_VALUE ? 1 : minLen
  if (characters !== undefined) return `must be ${least} to ${maxLen} characters from ${characters}`
  if (ruleId === 'string.min_len')
    return minLen === 1n ? 'must not be empty' : `must have at least ${minLen} characters`
  if (ruleId === 'string.max_len') return tooLongWords(maxLen)
  if (wellKnown.case === 'email') return NO_EMAIL_ADDRESS
  return controlCharacterWords(new RegExp(pattern, 'u').test('\n'))
}

const idRules = textRulesOf(ApprovalProcedureSchema.field.id)
const idPattern = new RegExp(idRules.pattern, 'u')

/** Says why a text is no valid id; undefined if it is one. */
export function idFault(text: string): string | undefined {
  if (text !== '' && text.length <= Number(idRules.maxLen) && idPattern.test(text)) return undefined
  return textWords(idRules, getOption(ApprovalProcedureSchema.field.id, fieldRules), 'string.pattern')
}

export function tooLongWords(max: bigint | number): string {
  return `must have at most ${max} characters`
}

/** What a text with control characters must be; `multiline` allows tabs and line breaks. */
export function controlCharacterWords(multiline: boolean): string {
  return multiline
    ? 'must not contain control characters other than tabs and line breaks'
    : 'must not contain control characters, including tabs and line breaks'
}

function integerWords({ greaterThan, lessThan }: Int32Rules, { ignore }: FieldRules, zeroIs: number): string {
  const [least, most] = [greaterThan.value, lessThan.value]
  if (least === 0 && zeroIs > 0) return pageSizeWords(zeroIs)
  const open = least === undefined ? `at most ${most}` : `at least ${least}`
  const range = least === undefined || most === undefined ? open : `from ${least} to ${most}`
  return ignore === Ignore.IF_ZERO_VALUE ? `must be 0 or ${range}` : `must be ${range}`
}

function listWords({ minItems, maxItems }: RepeatedRules): string {
  return minItems > 0 ? `must have ${minItems} to ${maxItems} entries` : `must have at most ${maxItems} entries`
}

/** A size beyond the maximum is not refused, so the rules do not state it. */
function pageSizeWords(usual: number): string {
  const most = maxPageSize(usual)
  return `must be from 1 to ${most}, or 0 for ${usual === most ? 'the maximum' : usual}`
}

/** If there are more values, they are not all named, so that errors stay small. */
const MAX_NAMED = 4

function enumWords({ notIn }: EnumRules, { name, values }: DescEnum): string {
  const good = values.filter(({ number }) => number !== 0 && !notIn.includes(number)).map((value) => value.name)
  if (good.length <= MAX_NAMED) return `must be ${listed(good, 'or')}`
  return `must be a value of ${name}, such as ${good[0]}`
}

function choiceWords(path: Violation['field']): string {
  const message = path.findLast(
    (part): part is DescField & { fieldKind: 'message' | 'list' } => part.kind === 'field',
  )?.message
  if (message === undefined) return 'must have one choice'
  const [choice] = getOption(message, messageRules).oneof
  const names = (choice?.fields ?? []).map(
    (name) => message.fields.find((field) => field.name === name)?.jsonName ?? name,
  )
  return `must have either ${listed(names, 'or')}, and not both`
}

function listed(words: readonly string[], conjunction: 'and' | 'or'): string {
  const others = words.slice(0, -1)
  return others.length === 0 ? words.join() : `${others.join(', ')} ${conjunction} ${words.at(-1)}`
}
