import { fromJson } from '@bufbuild/protobuf'
import { Fragment, useState } from 'react'
import { type Rule, RuleSchema } from '../../../../gen/svc/v2/rule_pb.js'
import { type SlaAction, type SlaCondition, SlaConditionType } from '../../../../gen/svc/v2/sla_definition_pb.js'
import { type Kind, useNamed } from '../../api/things.js'
import { labelOf } from '../../api/words.js'
import { nestedOf } from '../../ui/field-draft.js'
import type { Sentence, SentenceProps } from './declaration.js'
import { Choice, Span, Text, Thing } from './slots.js'

/** A message as a sentence, one of several maybe: it is only read where nothing takes its changes. */
export interface MessageProps<Value> {
  readonly value: Value
  readonly isLast?: boolean
  readonly onChange?: ((value: Value) => void) | undefined
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
  const known = useNamed().valuesOf(field)
  const kind = kinds[field]
  const isList = /in$/i.test(op)
  const all = [value, ...values].filter(Boolean)
  const given = /exists$/i.test(op) ? [] : isList || !onChange ? all : [all[0] ?? '']
  const shown = isList && onChange ? [...given, ''] : given
  const set = (next: Partial<Rule>, texts: readonly string[]) => {
    const changed = { ...rule, ...next }
    const [first = '', ...others] = texts.filter(Boolean)
    onChange?.(
      /in$/i.test(changed.op)
        ? { ...changed, value: '', values: [first, ...others].filter(Boolean) }
        : { ...changed, value: first, values: [] },
    )
  }
  return (
    <>
      <Choice
        label="Field"
        words={field === '' || field in fieldWords ? fieldWords : { ...fieldWords, [field]: labelOf(field) }}
        isStrong
        value={field}
        onChange={onChange && ((next) => set({ field: next }, kind === kinds[next] ? given : []))}
      />{' '}
      <Choice
        label="Comparison"
        words={comparisons}
        value={op.toLowerCase()}
        onChange={onChange && ((next) => set({ op: next }, given))}
      />
      {shown
        .map((each, index) => ({ each, index, key: `${field} ${index}` }))
        .map(({ each, index, key }) => {
          const slot = {
            label: index === 0 ? 'Value' : `Value ${index + 1}`,
            value: each,
            onChange: onChange && ((text: string) => set({}, shown.toSpliced(index, 1, text))),
          }
          return (
            <Fragment key={key}>
              {index > 0 && ' or'}{' '}
              {kind === undefined ? <Text known={known} {...slot} /> : <Thing kind={kind} {...slot} />}
            </Fragment>
          )
        })}
      {!isLast && (
        <>
          {' '}
          <Choice
            label="Joined by"
            words={{ AND: 'and', OR: 'or' }}
            value={logicOp || 'AND'}
            onChange={onChange && ((next) => onChange({ ...rule, logicOp: next }))}
          />{' '}
        </>
      )}
    </>
  )
}

/** What the clock does, and when. */
export function ConditionSentence({ value: condition, onChange }: MessageProps<SlaCondition>) {
  const { conditionType, conditionRule, resumePolicy } = condition
  const set = (next: Partial<SlaCondition>) => onChange?.({ ...condition, ...next })
  const isPause = conditionType === SlaConditionType.PAUSE
  return (
    <>
      The clock{' '}
      <Choice
        label="What the clock does"
        words={clockVerbs}
        value={String(conditionType)}
        onChange={onChange && ((next) => set({ conditionType: Number(next) }))}
      />{' '}
      when{' '}
      <RuleSentence
        value={conditionRule ?? fromJson(RuleSchema, NEW_RULE)}
        onChange={onChange && ((next) => set({ conditionRule: next }))}
      />
      {(resumePolicy || (isPause && onChange)) && (
        <>
          {!onChange && ';'} afterwards{' '}
          <Choice
            label="Afterwards"
            words={{ CONTINUE: 'it goes on', RESTART: 'it starts again' }}
            value={resumePolicy}
            onChange={onChange && ((next) => set({ resumePolicy: next }))}
          />
        </>
      )}
    </>
  )
}

/** Which workflow runs, and how long before or after the end of the promised time. */
export function ActionSentence({ value: action, onChange }: MessageProps<SlaAction>) {
  const { offsetSeconds, workflowId } = action
  const { workflows } = useNamed()
  const [side, setSide] = useState(offsetSeconds <= 0 ? 'before' : 'after')
  const set = (seconds: number, next: string) => {
    setSide(next)
    onChange?.({ ...action, offsetSeconds: next === 'before' ? -seconds || 0 : seconds })
  }
  const seconds = Math.abs(offsetSeconds)
  return (
    <>
      {offsetSeconds === 0 && !onChange ? (
        'When'
      ) : (
        <>
          <Span label="How long" value={String(seconds)} onChange={onChange && ((next) => set(Number(next), side))} />{' '}
          <Choice
            label="Before or after"
            words={{ before: 'before', after: 'after' }}
            value={side}
            onChange={onChange && ((next) => set(seconds, next))}
          />
        </>
      )}{' '}
      the time is over: run{' '}
      <Text
        label="Workflow"
        known={workflows}
        value={workflowId}
        onChange={onChange && ((next) => onChange({ ...action, workflowId: next }))}
      />
    </>
  )
}

/** What an SLA promises: of which tickets what is done within how much of which time, and from when. */
function PromiseSentence({ text, slot, set }: SentenceProps) {
  const counts = text('useAssignedGroupSchedule') === 'true' ? 'group' : text('scheduleId') ? 'schedule' : 'calendar'
  const [counted, setCounted] = useState(counts)
  const { schedules } = useNamed()
  const rules = (set ? [] : nestedOf(text('attachmentCriteria'))).map((each) => fromJson(RuleSchema, each))
  const count = (chosen: string) => {
    setCounted(chosen)
    set?.({
      useCalendarTime: String(chosen === 'calendar'),
      useAssignedGroupSchedule: String(chosen === 'group'),
      ...(chosen !== 'schedule' && { scheduleId: '' }),
    })
  }
  const shown = set ? counted : counts
  return (
    <>
      {!set && (
        <>
          For {rules.length === 0 ? 'every ticket' : 'tickets where '}
          <Rules rules={rules} />:{' '}
        </>
      )}
      <Choice words={metrics} isStrong {...slot('Metric', 'metric')} /> within{' '}
      <Span {...slot('Within', 'targetDurationSeconds')} /> of{' '}
      <Choice label="Which time counts" words={hours} value={shown} onChange={set && count} />
      {shown === 'schedule' && (
        <>
          {' '}
          <Text known={schedules} {...slot('Schedule', 'scheduleId')} />
        </>
      )}
      {set === undefined && ','} counted from{' '}
      <Choice words={startingPoints} {...slot('Counted from', 'startingPoint')} />
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
