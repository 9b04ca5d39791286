import { Link } from '@tanstack/react-router'
import {
  type Actor,
  ActorKind,
  ActorKindSchema,
  type AuditEvent,
  FieldWriteOutcomeSchema,
} from '../../../../gen/svc/v2/audit_log_pb.js'
import { FieldOwnerSchema, UserProfileFieldSchema } from '../../../../gen/svc/v2/user_pb.js'
import { nameOf } from '../../api/message.js'
import { useName } from '../../api/names.js'
import { PersonLink, ThingLink, targetKinds } from '../../api/things.js'
import { actionText, enumText, labelOf, oneOf, thingText } from '../../api/words.js'
import { listAt } from '../../ui/address.js'
import { FirstFew } from '../../ui/first-few.js'
import { StateBadge } from '../../ui/state-badge.js'
import { When } from '../../ui/when.js'
import styles from './audit.module.css'

/** Events of the audit log along a line, newest first; those of one request together. */
export function AuditTimeline({ events }: { readonly events: readonly AuditEvent[] }) {
  return (
    <ol className={styles['line']}>
      {[...Map.groupBy(events, ({ id, requestId }) => requestId || id)].map(([request, made]) => (
        <li key={request} className={styles['event']}>
          <Link {...listAt('/audit', { request: made[0]?.requestId ?? '' })} className={styles['when']}>
            <When at={made[0]?.occurredAt} exact />
          </Link>
          {made.map((event) => (
            <AuditEntry key={event.id} event={event} />
          ))}
        </li>
      ))}
    </ol>
  )
}

function AuditEntry({ event }: { readonly event: AuditEvent }) {
  // Of what is new, all is.
  const fields = event.action.endsWith('.create') ? '' : event.changedFields.map(labelOf).join(', ')
  return (
    <div>
      <p>
        <strong>{actionText(event.action)}</strong> by <ActorName actor={event.actor} />
        {event.targetId !== '' && (
          <>
            {' '}
            on <TargetLink type={event.targetType} id={event.targetId} />
          </>
        )}
        {event.targetType === 'user' && event.teamId !== '' && ' in '}
        {event.targetType === 'user' && event.teamId !== '' && <ThingLink kind="teams" id={event.teamId} />}
      </p>
      {fields && <p>Changed: {fields}</p>}
      <FirstFew items={event.changes} many="members">
        {(shown) =>
          shown.length > 0 && (
            <ul className={styles['changes']}>
              {shown.map((change) => (
                <li key={change.userId ?? change.field}>
                  {change.userId === undefined ? (
                    enumText(UserProfileFieldSchema, change.field)
                  ) : (
                    <PersonLink id={change.userId} />
                  )}{' '}
                  <StateBadge schema={FieldWriteOutcomeSchema} value={change.outcome} />
                  {change.oldOwner !== change.newOwner && (
                    <span className={styles['owners']}>
                      {enumText(FieldOwnerSchema, change.oldOwner)} → {enumText(FieldOwnerSchema, change.newOwner)}
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </FirstFew>
    </div>
  )
}

/** Who did something: a link to the person or the key, or the kind of writer where it has neither. */
export function ActorName({ actor }: { readonly actor: Actor | undefined }) {
  if (actor === undefined) return <>unknown</>
  const name = nameOf(actor)
  if (actor.kind === ActorKind.USER) {
    return <Link to={`/people/${encodeURIComponent(actor.id)}`}>{name}</Link>
  }
  const kind = enumText(ActorKindSchema, actor.kind)
  if (actor.id === '') return <>{kind}</>
  return (
    <>
      {kind} <Link to={`/keys/${encodeURIComponent(actor.id)}`}>{name}</Link>
    </>
  )
}

const screens: Readonly<Record<string, string>> = { entity_field_mapping: 'mappings' }

/** A link to what an event is about, by its name where it has one. */
export function TargetLink({ type, id }: { readonly type: string; readonly id: string }) {
  const kind = targetKinds[type]
  const name = useName(type, kind ? id : '')
  const path = kind ?? screens[type]
  // Of some there is nothing but the id, which is no name.
  const text = kind === undefined || name === id ? oneOf(thingText(type)) : (name ?? '…')
  if (path === undefined) return <span title={id}>{text}</span>
  return (
    <Link to={`/${path}/${encodeURIComponent(id)}`} title={id}>
      {text}
    </Link>
  )
}
