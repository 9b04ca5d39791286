import type { DescField, DescMessage, Message } from '@bufbuild/protobuf'
import type { ReactNode } from 'react'
import { type A2aAgentCard, A2aAgentCardSchema } from '../../../../gen/svc/v2/app_instance_pb.js'
import { type Rule, RuleSchema } from '../../../../gen/svc/v2/rule_pb.js'
import {
  type SlaAction,
  SlaActionSchema,
  type SlaCondition,
  SlaConditionSchema,
} from '../../../../gen/svc/v2/sla_definition_pb.js'
import { kindOf, ThingLink } from '../../api/things.js'
import { actionText, durationText, enumText, labelOf } from '../../api/words.js'
import { Facts } from '../../ui/screen.js'
import styles from '../../ui/screen.module.css'
import { When } from '../../ui/when.js'
import { AgentCard } from './agent-card.js'
import { memberOf } from './declaration.js'
import { ActionSentence, ConditionSentence, Rules } from './sla-sentences.js'

/** The value of a field, as its type and its name say: a link, a duration, a moment, words. */
export function FieldValue({ field, item }: { readonly field: DescField; readonly item: Message }) {
  const value = memberOf(item, field.localName)
  if (value === undefined || value === '') return <>–</>
  if (field.fieldKind === 'enum' && typeof value === 'number') return <>{enumText(field.enum, value) || '–'}</>
  if (field.message) return <Messages schema={field.message} messages={[value].flat() as Message[]} />
  if (field.fieldKind === 'list') return <ListValue field={field} values={value as readonly unknown[]} />
  if (typeof value === 'boolean') return <>{value ? 'Yes' : 'No'}</>
  if (typeof value === 'number')
    return <>{field.localName.endsWith('Seconds') ? durationText(value) : value.toLocaleString('en-GB')}</>
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (/(?:[a-z]At|Since)$/.test(field.localName)) return <When at={text} exact />
  const kind = kindOf(field.localName)
  if (kind !== undefined) return <ThingLink kind={kind} id={text} />
  return field.localName === 'id' ? <code>{text}</code> : text
}

function ListValue({ field, values }: { readonly field: DescField; readonly values: readonly unknown[] }) {
  if (values.length === 0) return <>{isOfEvents(field) ? 'All' : '–'}</>
  return <>{values.map((value) => textOfValue(field, String(value))).join(', ')}</>
}

function isOfEvents({ localName, parent }: DescField): boolean {
  return localName === 'types' && parent.name.startsWith('Webhook')
}

/** Types of events are said in words. */
function textOfValue(field: DescField, value: string): string {
  return isOfEvents(field) ? actionText(value) : value
}

interface MessagesProps {
  readonly schema: DescMessage
  readonly messages: readonly Message[]
}

/** The messages of a field, in words. */
export function Messages({ schema, messages }: MessagesProps) {
  if (messages.length === 0) return <>–</>
  if (schema.typeName === RuleSchema.typeName) return <Rules rules={messages as readonly Rule[]} />
  const keyed = messages.map((message, index) => ({ message, key: `${index}` }))
  return (
    <ol className={styles['sentences']}>
      {keyed.map(({ message, key }) => (
        <li key={key}>
          {schema.typeName === A2aAgentCardSchema.typeName && <AgentCard card={message as A2aAgentCard} />}
          {schema.typeName === SlaConditionSchema.typeName && <ConditionSentence value={message as SlaCondition} />}
          {schema.typeName === SlaActionSchema.typeName && <ActionSentence value={message as SlaAction} />}
        </li>
      ))}
    </ol>
  )
}

interface MessageFactsProps {
  readonly schema: DescMessage
  readonly message: Message
  /** Fields that are shown elsewhere. */
  readonly without?: readonly string[]
}

/** The fields of a message, with their values. */
export function MessageFacts({ schema, message, without = [] }: MessageFactsProps) {
  const facts: Record<string, ReactNode> = {}
  // What has not come yet is left out, as the service leaves it out.
  const isShown = ({ localName }: DescField) =>
    !without.includes(localName) && memberOf(message, localName) !== undefined
  for (const field of schema.fields.filter(isShown))
    facts[labelOf(field.localName)] = <FieldValue field={field} item={message} />
  return <Facts facts={facts} />
}
