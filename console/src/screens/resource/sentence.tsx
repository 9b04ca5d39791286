import type { DescMessage, Message } from '@bufbuild/protobuf'
import type { ReactNode } from 'react'
import { type Rule, RuleSchema } from '../../../../gen/svc/v2/rule_pb.js'
import {
  type SlaAction,
  SlaActionSchema,
  type SlaCondition,
  SlaConditionSchema,
  SlaConditionType,
} from '../../../../gen/svc/v2/sla_definition_pb.js'
import { type Kind, useThingName } from '../../api/things.js'
import { durationText, labelOf } from '../../api/words.js'

/** What comparisons of rules are called. */
export const comparisons: Readonly<Record<string, string>> = {
  eq: 'is',
  neq: 'is not',
  in: 'is one of',
  not_in: 'is none of',
  exists: 'is there',
  not_exists: 'is missing',
  contains: 'contains',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
}

/** The fields of tickets whose values are ids of things with names. */
const kinds: Readonly<Record<string, Kind>> = {
  priority: 'priorities',
  team: 'teams',
  group: 'groups',
  requester: 'people',
}

const verbs: Readonly<Record<SlaConditionType, string>> = {
  [SlaConditionType.UNSPECIFIED]: 'Is looked at',
  [SlaConditionType.START]: 'The clock starts',
  [SlaConditionType.PAUSE]: 'The clock pauses',
  [SlaConditionType.STOP]: 'The clock stops',
}

/** A message as a sentence; undefined for messages that have none. */
export function sentenceOf(schema: DescMessage, message: Message): ReactNode | undefined {
  if (schema.typeName === RuleSchema.typeName) return <RuleText rule={message as Rule} />
  if (schema.typeName === SlaConditionSchema.typeName) return <ConditionText condition={message as SlaCondition} />
  if (schema.typeName === SlaActionSchema.typeName) return actionSentence(message as SlaAction)
  return undefined
}

/** Whether messages of a type are said as sentences. */
export function isSaid(schema: DescMessage): boolean {
  return [RuleSchema, SlaConditionSchema, SlaActionSchema].some(({ typeName }) => typeName === schema.typeName)
}

function RuleText({ rule: { field, op, value, values, logicOp } }: { readonly rule: Rule }) {
  const all = [value, ...values].filter((each) => each !== '')
  return (
    <>
      <strong>{labelOf(field) || 'A field'}</strong> {comparisons[op.toLowerCase()] ?? op}{' '}
      {all.map((each, index) => (
        <span key={each}>
          {index > 0 && ' or '}
          <strong>
            <Value field={field} value={each} />
          </strong>
        </span>
      ))}
      {logicOp && ` ${logicOp.toLowerCase()} …`}
    </>
  )
}

function Value({ field, value }: { readonly field: string; readonly value: string }) {
  const kind = kinds[field]
  return kind === undefined ? <>{value.replaceAll('_', ' ')}</> : <NameOrText kind={kind} text={value} />
}

function NameOrText({ kind, text }: { readonly kind: Kind; readonly text: string }) {
  return <>{useThingName(kind, text, false) ?? '…'}</>
}

function ConditionText({
  condition: { conditionType, conditionRule, resumePolicy },
}: {
  readonly condition: SlaCondition
}) {
  return (
    <>
      {verbs[conditionType]}
      {conditionRule && (
        <>
          {' '}
          when <RuleText rule={conditionRule} />
        </>
      )}
      {resumePolicy && `, and after it: ${resumePolicy.toLowerCase().replaceAll('_', ' ')}`}
    </>
  )
}

function actionSentence({ workflowId, offsetSeconds }: SlaAction): string {
  const when =
    offsetSeconds === 0
      ? 'When the time is over'
      : `${durationText(Math.abs(offsetSeconds))} ${offsetSeconds < 0 ? 'before' : 'after'} the time is over`
  return `${when.charAt(0).toUpperCase()}${when.slice(1)}, the workflow ${workflowId} runs`
}
