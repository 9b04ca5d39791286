import { descriptionLimits, optionalNameLimits } from '../../domain/value/text-field.js'
import { textOf, textsOf } from '../field-values.js'

/** A condition on a ticket in the JSON of the API. */
export interface RuleJson {
  readonly type: string
  readonly field: string
  readonly op: string
  readonly value: string
  readonly values: readonly string[]
  readonly logicOp: string
}

/** The rule, kept as given. Throws a ServiceError where a text is none. */
export function ruleOf(field: string, rule: RuleJson): RuleJson {
  for (const name of ['type', 'field', 'op', 'logicOp'] as const)
    textOf(`${field}.${name}`, rule[name], optionalNameLimits)
  textOf(`${field}.value`, rule.value, descriptionLimits)
  textsOf(`${field}.values`, rule.values, descriptionLimits)
  return rule
}
