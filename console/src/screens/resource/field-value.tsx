import type { DescField, DescMessage, Message } from '@bufbuild/protobuf'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PersonLink, useTeamName } from '../../api/names.js'
import { durationText, enumText, labelOf } from '../../api/words.js'
import { Facts } from '../../ui/screen.js'
import styles from '../../ui/screen.module.css'
import { When } from '../../ui/when.js'
import { memberOf } from './declaration.js'

/** The screens of what fields refer to, by the end of a field's name. */
const screens: readonly (readonly [ending: RegExp, path: string])[] = [
  [/teamId$/i, 'teams'],
  [/accessPolicyId$/i, 'policies'],
  [/appInstanceId$/i, 'apps'],
  [/entityTypeId$/i, 'entity-types'],
  [/ingestionConfigId$/i, 'ingestion'],
]

/** The value of a field, as its type and its name say: a link, a duration, a moment, words. */
export function FieldValue({ field, item }: { readonly field: DescField; readonly item: Message }) {
  const teamName = useTeamName()
  const value = memberOf(item, field.localName)
  if (value === undefined || value === '') return <>–</>
  if (field.fieldKind === 'enum' && typeof value === 'number') return <>{enumText(field.enum, value) || '–'}</>
  if (field.fieldKind === 'message') return <MessageFacts schema={field.message} message={value as Message} />
  if (field.fieldKind === 'list') return <ListValue field={field} values={value as readonly unknown[]} />
  if (typeof value === 'boolean') return <>{value ? 'Yes' : 'No'}</>
  if (typeof value === 'number') return <>{field.localName.endsWith('Seconds') ? durationText(value) : value}</>
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (/[a-z]At$/.test(field.localName)) return <When at={text} exact />
  if (/userId$/i.test(field.localName)) return <PersonLink id={text} />
  const [, path] = screens.find(([ending]) => ending.test(field.localName)) ?? []
  if (path === undefined) return field.localName === 'id' ? <code>{text}</code> : text
  return <Link to={`/${path}/${encodeURIComponent(text)}`}>{path === 'teams' ? teamName(text) : text}</Link>
}

function ListValue({ field, values }: { readonly field: DescField; readonly values: readonly unknown[] }) {
  if (values.length === 0) return <>–</>
  if (field.message === undefined) return <>{values.map(String).join(', ')}</>
  return <MessageList schema={field.message} messages={values as readonly Message[]} />
}

/** Messages in their order. */
export function MessageList(props: { readonly schema: DescMessage; readonly messages: readonly Message[] }) {
  const items = props.messages.map((item, index) => ({ key: `${index}`, item }))
  return (
    <ol className={styles['items']}>
      {items.map(({ key, item }) => (
        <li key={key}>
          <MessageFacts schema={props.schema} message={item} />
        </li>
      ))}
    </ol>
  )
}

/** The fields of a message, with their values. */
export function MessageFacts({ schema, message }: { readonly schema: DescMessage; readonly message: Message }) {
  const facts: Record<string, ReactNode> = {}
  for (const field of schema.fields) facts[labelOf(field.localName)] = <FieldValue field={field} item={message} />
  return <Facts facts={facts} />
}
