import type { Message } from '@bufbuild/protobuf'
import { Fragment, type ReactNode } from 'react'
import type { Rule } from '../../../../gen/svc/v2/rule_pb.js'
import {
  type SlaAction,
  type SlaCondition,
  SlaConditionType,
  type SlaDefinition,
  SlaMetricSchema,
  SlaStartingPoint,
} from '../../../../gen/svc/v2/sla_definition_pb.js'
import { type Kind, useThingName, WorkflowName } from '../../api/things.js'
import { durationText, enumText, labelOf, spokenId } from '../../api/words.js'
import { Facts } from '../../ui/screen.js'
import styles from '../../ui/screen.module.css'

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
export const ticketKinds: Readonly<Record<string, Kind>> = {
  priority: 'priorities',
  team: 'teams',
  group: 'groups',
  requester: 'people',
  assignee: 'people',
}

/** What a condition does to the clock. */
export const clockVerbs: Readonly<Record<SlaConditionType, string>> = {
  [SlaConditionType.UNSPECIFIED]: 'is looked at',
  [SlaConditionType.START]: 'starts',
  [SlaConditionType.PAUSE]: 'pauses',
  [SlaConditionType.STOP]: 'stops',
}

/** What the clock does after a pause. */
export const resumptions: Readonly<Record<string, string>> = { CONTINUE: 'it goes on', RESTART: 'it starts again' }

/** From when the time is counted. */
export const startingPoints: Readonly<Record<SlaStartingPoint, string>> = {
  [SlaStartingPoint.UNSPECIFIED]: 'an unknown moment',
  [SlaStartingPoint.TICKET_CREATED]: 'when the ticket is created',
  [SlaStartingPoint.SLA_ATTACHED]: 'when the SLA comes to apply',
  [SlaStartingPoint.GROUP_ASSIGNED]: 'when a group is assigned',
}

/** What an SLA promises, of which tickets, when its clock runs and what happens then: in sentences. */
export function SlaText({ item }: { readonly item: Message }) {
  const sla = item as SlaDefinition
  return (
    <>
      <p className={styles['said']}>
        For <RulesText rules={sla.attachmentCriteria} />: <strong>{enumText(SlaMetricSchema, sla.metric)}</strong>{' '}
        within <strong>{durationText(sla.targetDurationSeconds)}</strong> of {hoursText(sla)}, counted from{' '}
        {startingPoints[sla.startingPoint]}.
      </p>
      <Facts
        facts={{
          Clock: <Sentences messages={sla.conditions} none="It runs until the promise is kept." />,
          Workflows: <Sentences messages={sla.actionDefinitions} none="None runs." />,
        }}
      />
    </>
  )
}

export interface SentencesProps {
  readonly messages: readonly (SlaCondition | SlaAction)[]
  readonly none: string
}

/** Conditions or actions in their order, each as a sentence. */
export function Sentences({ messages, none }: SentencesProps) {
  if (messages.length === 0) return <>{none}</>
  const keyed = messages.map((message, index) => ({ message, key: `${index}` }))
  return (
    <ol className={styles['sentences']}>
      {keyed.map(({ message, key }) => (
        <li key={key}>
          {message.$typeName === 'svc.v2.SlaAction' ? (
            <ActionText action={message} />
          ) : (
            <ConditionText condition={message} />
          )}
        </li>
      ))}
    </ol>
  )
}

function hoursText({ scheduleId, useCalendarTime, useAssignedGroupSchedule }: SlaDefinition): ReactNode {
  if (useAssignedGroupSchedule) return 'the working time of the assigned group'
  if (useCalendarTime || scheduleId === '') return 'calendar time'
  return (
    <>
      working time, by <strong title={scheduleId}>{spokenId(scheduleId)}</strong>
    </>
  )
}

/** Rules that are joined, as one sentence. */
export function RulesText({ rules }: { readonly rules: readonly Rule[] }) {
  if (rules.length === 0) return <>every ticket</>
  const keyed = rules.map((rule, index) => ({ rule, key: `${index}`, isLast: index === rules.length - 1 }))
  return (
    <span>
      tickets where{' '}
      {keyed.map(({ rule, key, isLast }) => (
        <Fragment key={key}>
          <RuleText rule={rule} />
          {!isLast && (rule.logicOp ? ` ${rule.logicOp.toLowerCase()} ` : ', ')}
        </Fragment>
      ))}
    </span>
  )
}

function RuleText({ rule: { field, op, value, values } }: { readonly rule: Rule }) {
  const all = [value, ...values].filter((each) => each !== '')
  const kind = ticketKinds[field]
  return (
    <>
      <strong>{labelOf(field) || 'a field'}</strong> {comparisons[op.toLowerCase()] ?? op}
      {all.map((each, index) => (
        <Fragment key={each}>
          {index > 0 && ' or'}{' '}
          <strong>{kind === undefined ? each.replaceAll('_', ' ') : <NameOrText kind={kind} text={each} />}</strong>
        </Fragment>
      ))}
    </>
  )
}

function NameOrText({ kind, text }: { readonly kind: Kind; readonly text: string }) {
  return <>{useThingName(kind, text, 'none') ?? '…'}</>
}

function ConditionText({ condition }: { readonly condition: SlaCondition }) {
  const { conditionType, conditionRule, resumePolicy } = condition
  return (
    <>
      The clock {clockVerbs[conditionType]}
      {conditionRule && (
        <>
          {' '}
          when <RuleText rule={conditionRule} />
        </>
      )}
      {resumePolicy && `; afterwards ${resumptions[resumePolicy] ?? resumePolicy.toLowerCase().replaceAll('_', ' ')}`}
    </>
  )
}

function ActionText({ action: { workflowId, offsetSeconds } }: { readonly action: SlaAction }) {
  const offset = `${durationText(Math.abs(offsetSeconds))} ${offsetSeconds < 0 ? 'before' : 'after'}`
  return (
    <>
      {offsetSeconds === 0 ? 'When' : offset} the time is over:{' '}
      <strong>
        <WorkflowName id={workflowId} />
      </strong>
    </>
  )
}
