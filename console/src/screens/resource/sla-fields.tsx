import { fromJson } from '@bufbuild/protobuf'
import { Fragment, useState } from 'react'
import { type Rule, RuleSchema } from '../../../../gen/svc/v2/rule_pb.js'
import {
  type SlaAction,
  type SlaCondition,
  SlaConditionType,
  SlaMetricSchema,
} from '../../../../gen/svc/v2/sla_definition_pb.js'
import { useNamed } from '../../api/things.js'
import { enumOptions, labelOf } from '../../api/words.js'
import { DurationField } from '../../ui/duration-field.js'
import { SelectField, TextField } from '../../ui/field.js'
import { Picker } from '../../ui/picker.js'
import type { Sentence, SentenceProps } from './declaration.js'
import { clockVerbs, comparisons, resumptions, SlaText, startingPoints, ticketKinds } from './sla-sentences.js'

/** A message that is edited, one of several maybe. */
export interface EditProps<Value> {
  readonly value: Value
  readonly isLast?: boolean
  readonly onChange: (value: Value) => void
}

/** Words for values as choices, with the value that is there if it has none. */
function choicesOf(words: Readonly<Record<string, string>>, value: string) {
  const named = Object.entries(words).map(([each, text]) => ({ value: each, text }))
  return value === '' || value in words ? named : [...named, { value, text: value }]
}

/** A comparison of which nothing is known yet. */
export const NEW_RULE = { type: 'field', op: 'eq' }

const starts = choicesOf(startingPoints, '').slice(1)
const verbs = choicesOf(clockVerbs, '').slice(1)
const ticketFields = ['status', 'priority', 'team', 'group', 'requester', 'assignee', 'firstReplyBy']
const hours = [
  { value: 'calendar', text: 'calendar time' },
  { value: 'group', text: 'the working time of the assigned group' },
  { value: 'schedule', text: 'the working time of a schedule' },
]

/** What an SLA promises: what is done within how much of which time, and from when. */
function PromiseFields({ text, faultOf, set }: SentenceProps) {
  const given = text('useAssignedGroupSchedule') === 'true' ? 'group' : text('scheduleId') ? 'schedule' : 'calendar'
  const { schedules } = useNamed()
  const [counted, setCounted] = useState(given)
  const count = (chosen: string) => {
    setCounted(chosen)
    set({
      useCalendarTime: String(chosen === 'calendar'),
      useAssignedGroupSchedule: String(chosen === 'group'),
      ...(chosen !== 'schedule' && { scheduleId: '' }),
    })
  }
  const selectOf = (name: string) => ({
    value: text(name) === '0' ? '' : text(name),
    fault: faultOf(name),
    onChange: (value: string) => set({ [name]: value }),
  })
  return (
    <>
      <SelectField label="Metric" options={enumOptions(SlaMetricSchema, 'Choose')} {...selectOf('metric')} />
      within
      <DurationField
        label="Within"
        seconds={Number(text('targetDurationSeconds'))}
        fault={faultOf('targetDurationSeconds')}
        onChange={(seconds) => set({ targetDurationSeconds: String(seconds) })}
      />
      of
      <SelectField label="Which time counts" value={counted} options={hours} onChange={count} />
      {counted === 'schedule' && (
        <TextField
          label="Schedule"
          value={text('scheduleId')}
          fault={faultOf('scheduleId')}
          known={schedules}
          placeholder="Name of the schedule"
          onChange={(scheduleId) => set({ scheduleId })}
        />
      )}
      counted from
      <SelectField
        label="Counted from"
        options={[{ value: '', text: 'Choose' }, ...starts]}
        {...selectOf('startingPoint')}
      />
    </>
  )
}

/** A comparison of a field of the ticket: the values of some are chosen by name. */
function RuleFields({ value: rule, onChange }: EditProps<Rule>) {
  const { field, op, value, values } = rule
  const isNone = /exists$/.test(op)
  const isList = /in$/.test(op)
  const kind = ticketKinds[field]
  const given = isNone ? [] : isList ? [value, ...values].filter(Boolean) : [value || (values[0] ?? '')]
  const shown = isList ? [...given, ''] : given
  const withValues = (next: Rule, all: readonly string[]) =>
    onChange(
      /in$/.test(next.op)
        ? { ...next, value: '', values: all.filter(Boolean) }
        : { ...next, value: all[0] ?? '', values: [] },
    )
  const known = useNamed().valuesOf(field)
  const names = Object.fromEntries(ticketFields.map((name) => [name, labelOf(name)]))
  return (
    <>
      <SelectField
        label="Field"
        value={field}
        options={[{ value: '', text: 'Choose' }, ...choicesOf(names, field)]}
        onChange={(next) => withValues({ ...rule, field: next }, kind === ticketKinds[next] ? given : [])}
      />
      <SelectField
        label="Comparison"
        value={op}
        options={choicesOf(comparisons, op)}
        onChange={(next) => withValues({ ...rule, op: next }, given)}
      />
      {shown
        .map((each, index) => ({ each, index, key: `${field} ${index}` }))
        .map(({ each, index, key }) => {
          const label = index === 0 ? 'Value' : `Value ${index + 1}`
          const change = (text: string) => withValues(rule, shown.toSpliced(index, 1, text))
          return (
            <Fragment key={key}>
              {index > 0 && 'or'}
              {kind === undefined ? (
                <TextField label={label} placeholder="Value" value={each} known={known} onChange={change} />
              ) : (
                <Picker label={label} kind={kind} value={each} onChange={change} />
              )}
            </Fragment>
          )
        })}
    </>
  )
}

/** A rule of several: how it joins the next one comes after it. */
export function JoinedRuleFields({ value, isLast, onChange }: EditProps<Rule>) {
  return (
    <>
      <RuleFields value={value} onChange={onChange} />
      {!isLast && (
        <SelectField
          label="Joined by"
          value={value.logicOp || 'AND'}
          options={choicesOf({ AND: 'and', OR: 'or' }, value.logicOp)}
          onChange={(logicOp) => onChange({ ...value, logicOp })}
        />
      )}
    </>
  )
}

/** What the clock does, and when. */
export function ConditionFields({ value: condition, onChange }: EditProps<SlaCondition>) {
  const { conditionType, conditionRule, resumePolicy } = condition
  return (
    <>
      The clock
      <SelectField
        label="What the clock does"
        value={String(conditionType)}
        options={conditionType === SlaConditionType.UNSPECIFIED ? choicesOf(clockVerbs, '') : verbs}
        onChange={(next) => onChange({ ...condition, conditionType: Number(next) })}
      />
      when
      <RuleFields
        value={conditionRule ?? fromJson(RuleSchema, NEW_RULE)}
        onChange={(next) => onChange({ ...condition, conditionRule: next })}
      />
      {(conditionType === SlaConditionType.PAUSE || resumePolicy) && (
        <>
          ; afterwards
          <SelectField
            label="Afterwards"
            value={resumePolicy}
            options={choicesOf({ '': 'nothing is said', ...resumptions }, resumePolicy)}
            onChange={(next) => onChange({ ...condition, resumePolicy: next })}
          />
        </>
      )}
    </>
  )
}

/** Which workflow runs, and how long before or after the end of the promised time. */
export function ActionFields({ value: action, onChange }: EditProps<SlaAction>) {
  const { offsetSeconds, workflowId } = action
  const [isBefore, setBefore] = useState(offsetSeconds <= 0)
  const set = (seconds: number, before: boolean) => {
    setBefore(before)
    onChange({ ...action, offsetSeconds: before ? -seconds || 0 : seconds })
  }
  return (
    <>
      <DurationField
        label="How long"
        seconds={Math.abs(offsetSeconds)}
        onChange={(seconds) => set(seconds, isBefore)}
      />
      <SelectField
        label="Before or after"
        value={isBefore ? 'before' : 'after'}
        options={['before', 'after'].map((value) => ({ value, text: value }))}
        onChange={(next) => set(Math.abs(offsetSeconds), next === 'before')}
      />
      the time is over, run
      <TextField
        label="Workflow"
        placeholder="Workflow"
        value={workflowId}
        known={useNamed().workflows}
        onChange={(next) => onChange({ ...action, workflowId: next })}
      />
    </>
  )
}

const promised = [
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
  fields: promised,
  said: [...promised, 'conditions', 'attachmentCriteria', 'actionDefinitions', 'archivedAt'],
  Text: SlaText,
  Fields: PromiseFields,
}
