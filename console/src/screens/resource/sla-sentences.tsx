import { type DescMessage, fromJson, isMessage, type Message } from '@bufbuild/protobuf'
import { Fragment, useState } from 'react'
import { type Rule, RuleSchema } from '../../../../gen/svc/v2/rule_pb.js'
import {
  type SlaAction,
  SlaActionSchema,
  type SlaCondition,
  SlaConditionSchema,
  SlaConditionType,
} from '../../../../gen/svc/v2/sla_definition_pb.js'
import { type Kind, useRuleValues, useUsed } from '../../api/things.js'
import { labelOf } from '../../api/words.js'
import { nestedOf } from '../../ui/field-draft.js'
import type { Sentence, SentenceProps } from './declaration.js'
import { Choice, Span, useIsForm, Value } from './slots.js'

/** A message as a sentence, one of several maybe. */
export interface MessageProps<Value> {
  readonly value: Value
  readonly isLast?: boolean
  /** Absent where it is only read. */
  readonly onChange?: (value: Value) => void
}

/** What comparisons of rules are called. */
const comparisons = {
  eq: 'is',
  neq: 'is not',
  in: 'is one of',
  not_in: 'is none of',
  exists: 'is set',
  not_exists: 'is not set',
  contains: 'contains',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
}
const ticketFields = ['status', 'priority', 'team', 'group', 'requester', 'assignee', 'firstReplyBy']
const fieldWords = { ...Object.fromEntries(ticketFields.map((name) => [name, labelOf(name)])), status: 'Status' }
/** The fields of tickets whose values are ids of things with names. */
const kinds: Readonly<Record<string, Kind>> = {
  priority: 'priorities',
  team: 'teams',
  group: 'groups',
  requester: 'people',
  assignee: 'people',
}
const clockVerbs = {
  [SlaConditionType.START]: 'starts',
  [SlaConditionType.PAUSE]: 'pauses',
  [SlaConditionType.STOP]: 'stops',
}
const metrics = { 1: 'First response', 2: 'First human response', 3: 'Resolution' }
const startingPoints = {
  1: 'when the ticket is created',
  2: 'when the SLA comes to apply',
  3: 'when a group is assigned',
}
const hours = {
  calendar: 'calendar time',
  group: 'the working time of the assigned group',
  schedule: 'the working time of',
}

/** A comparison of which nothing is known yet. */
export const NEW_RULE = { type: 'field', op: 'eq' }

/** A comparison of a field of the ticket, with how it joins the next one. */
export function RuleSentence({ value: rule, isLast = true, onChange }: MessageProps<Rule>) {
  const { field, op, value, values, logicOp } = rule
  const known = useRuleValues(field)
  const kind = kinds[field]
  const given = /exists$/i.test(op) ? [] : [value, ...values].filter(Boolean)
  const set = (next: Partial<Rule>, texts: readonly string[]) => {
    const changed = { ...rule, ...next }
    const [first = '', ...others] = texts.filter(Boolean)
    onChange?.(
      isList(changed)
        ? { ...changed, value: '', values: [first, ...others].filter(Boolean) }
        : { ...changed, value: first, values: [] },
    )
  }
  const slot = { label: 'Value', onChange: (text: string) => set({}, text.split('\n')) }
  const shown = useIsForm() && !/exists$/i.test(op) ? [isList(rule) ? given.join('\n') : (given[0] ?? '')] : given
  const words = field === '' || field in fieldWords ? fieldWords : { ...fieldWords, [field]: labelOf(field) }
  const setField = (next: string) => set({ field: next }, kind === kinds[next] ? given : [])
  return (
    <>
      <Choice label="Field" words={words} isStrong value={field} onChange={setField} />{' '}
      <Choice
        label="Comparison"
        words={comparisons}
        value={op.toLowerCase()}
        onChange={(next) => set({ op: next }, given)}
      />
      {shown
        .map((each, index) => ({ each, index, key: `${field} ${index}` }))
        .map(({ each, index, key }) => (
          <Fragment key={key}>
            {index > 0 && ' or'}{' '}
            <Value {...(kind ? { kind } : { known })} isMany={isList(rule)} value={each} {...slot} />
          </Fragment>
        ))}
      {!isLast && ' '}
      {!isLast && (
        <Choice
          label="Joined by"
          words={{ AND: 'and', OR: 'or' }}
          value={logicOp || 'AND'}
          onChange={(next) => onChange?.({ ...rule, logicOp: next })}
        />
      )}
      {!isLast && ' '}
    </>
  )
}

const isList = ({ op }: Rule): boolean => /in$/i.test(op)
const afterwards = { CONTINUE: 'it goes on', RESTART: 'it starts again' }

/** What the clock does, and when. */
export function ConditionSentence({ value: condition, onChange }: MessageProps<SlaCondition>) {
  const { conditionType: type, conditionRule = fromJson(RuleSchema, NEW_RULE), resumePolicy } = condition
  const set = (next: Partial<SlaCondition>) => onChange?.({ ...condition, ...next })
  const canResume = useIsForm() ? type === SlaConditionType.PAUSE : false
  return (
    <>
      The clock{' '}
      <Choice
        label="What the clock does"
        words={clockVerbs}
        value={String(type)}
        onChange={(next) => set({ conditionType: Number(next) })}
      />{' '}
      when <RuleSentence value={conditionRule} onChange={(next) => set({ conditionRule: next })} />
      {(resumePolicy || canResume) && '; afterwards '}
      {(resumePolicy || canResume) && (
        <Choice
          label="Afterwards"
          words={afterwards}
          value={resumePolicy}
          onChange={(next) => set({ resumePolicy: next })}
        />
      )}
    </>
  )
}

const sides = { at: 'When', before: 'before', after: 'after' }

/** Which workflow runs, and how long before or after the end of the promised time. */
export function ActionSentence({ value: action, onChange }: MessageProps<SlaAction>) {
  const { offsetSeconds, workflowId } = action
  const seconds = Math.abs(offsetSeconds)
  const given = offsetSeconds === 0 ? 'at' : offsetSeconds < 0 ? 'before' : 'after'
  const [chosen, setChosen] = useState(given)
  const side = useIsForm() ? chosen : given
  const set = (length: number, next: string) => {
    setChosen(next)
    onChange?.({ ...action, offsetSeconds: next === 'at' ? 0 : next === 'before' ? -length || 0 : length })
  }
  const run = (next: string) => onChange?.({ ...action, workflowId: next })
  return (
    <>
      {side !== 'at' && <Span label="How long" value={String(seconds)} onChange={(next) => set(Number(next), side)} />}{' '}
      <Choice label="Before or after" words={sides} value={side} onChange={(next) => set(seconds || 3_600, next)} /> the
      time is over, run <Value label="Workflow" known={useUsed('workflowId')} value={workflowId} onChange={run} />
    </>
  )
}

/** Whether messages are said as sentences. */
export const isSaid = ({ typeName }: DescMessage): boolean =>
  [RuleSchema, SlaConditionSchema, SlaActionSchema].some((schema) => schema.typeName === typeName)

/** A message that is said as a sentence. */
export function MessageSentence({ value, ...props }: MessageProps<Message>) {
  if (isMessage(value, RuleSchema)) return <RuleSentence value={value} {...props} />
  if (isMessage(value, SlaConditionSchema)) return <ConditionSentence value={value} {...props} />
  return isMessage(value, SlaActionSchema) && <ActionSentence value={value} {...props} />
}

/** What an SLA promises: of which tickets what is done within how much of which time, and from when. */
function PromiseSentence({ text, slot, set }: SentenceProps) {
  const isForm = useIsForm()
  const stands = text('useAssignedGroupSchedule') === 'true' ? 'group' : text('scheduleId') ? 'schedule' : 'calendar'
  const [chosen, setChosen] = useState(stands)
  const counts = isForm ? chosen : stands
  const schedules = useUsed('scheduleId')
  const rules = (isForm ? [] : nestedOf(text('attachmentCriteria'))).map((each) => fromJson(RuleSchema, each))
  const count = (next: string) => {
    setChosen(next)
    set({
      useCalendarTime: String(next === 'calendar'),
      useAssignedGroupSchedule: String(next === 'group'),
      ...(next !== 'schedule' && { scheduleId: '' }),
    })
  }
  return (
    <>
      {!isForm && (
        <>
          For {rules.length === 0 ? 'every ticket' : 'tickets where '}
          <Rules rules={rules} />:{' '}
        </>
      )}
      <Choice words={metrics} isStrong {...slot('Metric', 'metric')} /> within{' '}
      <Span {...slot('Within', 'targetDurationSeconds')} /> of{' '}
      <Choice label="Which time counts" words={hours} value={counts} onChange={count} />
      {counts === 'schedule' && (
        <>
          {' '}
          <Value known={schedules} {...slot('Schedule', 'scheduleId')} />
        </>
      )}
      , counted from <Choice words={startingPoints} {...slot('Counted from', 'startingPoint')} />
    </>
  )
}

/** Rules, each of which says how it joins the next one. */
export function Rules({ rules }: { readonly rules: readonly Rule[] }) {
  return rules
    .map((rule, index) => ({ rule, index, key: `${index}` }))
    .map(({ rule, index, key }) => <RuleSentence key={key} value={rule} isLast={index === rules.length - 1} />)
}

const fields = [
  'metric',
  'targetDurationSeconds',
  'useCalendarTime',
  'useAssignedGroupSchedule',
  'scheduleId',
  'startingPoint',
]

/** What an SLA promises, as a sentence. */
export const promise: Sentence = {
  title: 'Promise',
  fields,
  said: [...fields, 'attachmentCriteria', 'archivedAt'],
  Sentence: PromiseSentence,
}
