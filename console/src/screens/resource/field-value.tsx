import { type DescField, type DescMessage, isMessage, type Message } from '@bufbuild/protobuf'
import { A2aAgentCardSchema } from '../../../../gen/svc/v2/app_instance_pb.js'
import { type Rule, RuleSchema } from '../../../../gen/svc/v2/rule_pb.js'
import { memberOf } from '../../api/message.js'
import { kindOf, ThingLink } from '../../api/things.js'
import { enumText, numberText } from '../../api/words.js'
import { Badge } from '../../ui/button.js'
import { controlOf, draftOf, draftText } from '../../ui/field-draft.js'
import styles from '../../ui/screen.module.css'
import { StateBadge } from '../../ui/state-badge.js'
import { When } from '../../ui/when.js'
import { AgentCard } from './agent-card.js'
import { MessageSentence, Rules } from './sla-sentences.js'

/** The value of a field, as its type and its name say: a link, a duration, a moment, words. */
export function FieldValue({ field, item }: { readonly field: DescField; readonly item: Message }) {
  const value = memberOf(item, field.localName)
  if (value === undefined || value === '') return <>–</>
  if (field.fieldKind === 'enum' && typeof value === 'number') {
    if (field.localName === 'status')
      return (
        <>
          <StateBadge schema={field.enum} value={value} />{' '}
          {memberOf(item, 'failingSince') !== undefined && <Badge tone="bad">Failing</Badge>}
        </>
      )
    return <>{enumText(field.enum, value) || '–'}</>
  }
  if (field.message) return <Messages schema={field.message} messages={[value].flat() as Message[]} />
  if (typeof value === 'number' && controlOf(field) === 'number') return <>{numberText(value)}</>
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (/(?:[a-z]At|Since)$/.test(field.localName)) return <When at={text} exact />
  const kind = kindOf(field.localName)
  if (kind !== undefined) return <ThingLink kind={kind} id={text} />
  return field.localName === 'id' ? <code>{text}</code> : draftText(field, draftOf(field, item)) || '–'
}

/** The messages of a field, in words. */
export function Messages({ schema, messages }: { schema: DescMessage; messages: readonly Message[] }) {
  if (messages.length === 0) return <>–</>
  if (schema.typeName === RuleSchema.typeName) return <Rules rules={messages as readonly Rule[]} />
  const keyed = messages.map((message, index) => ({ message, key: `${index}` }))
  return (
    <ol className={styles['sentences']}>
      {keyed.map(({ message, key }) => (
        <li key={key}>
          {isMessage(message, A2aAgentCardSchema) && <AgentCard card={message} />}
          <MessageSentence value={message} />
        </li>
      ))}
    </ol>
  )
}
