import { Link } from '@tanstack/react-router'
import { type AuditEvent, FieldWriteOutcomeSchema } from '../../../../gen/svc/v2/audit_log_pb.js'
import { FieldOwnerSchema, UserProfileFieldSchema } from '../../../../gen/svc/v2/user_pb.js'
import { PersonLink } from '../../api/person.js'
import { actionText, enumText, labelOf } from '../../api/words.js'
import { FirstFew } from '../../ui/first-few.js'
import { StateBadge } from '../../ui/state-badge.js'
import { When } from '../../ui/when.js'
import { ActorName } from './actor-name.js'
import styles from './audit.module.css'
import { TargetLink } from './target-link.js'

/** Events of the audit log along a line, newest first. */
export function AuditTimeline({ events }: { readonly events: readonly AuditEvent[] }) {
  return (
    <ol className={styles['line']}>
      {events.map((event) => (
        <li key={event.id} className={styles['event']}>
          <AuditEntry event={event} />
        </li>
      ))}
    </ol>
  )
}

function AuditEntry({ event }: { readonly event: AuditEvent }) {
  // Of what is new, all is.
  const fields = event.action.endsWith('.create') ? '' : event.changedFields.map(labelOf).join(', ')
  return (
    <>
      <p>
        <strong>{actionText(event.action)}</strong> by <ActorName actor={event.actor} />
        {event.targetId !== '' && (
          <>
            {' '}
            on <TargetLink type={event.targetType} id={event.targetId} />
          </>
        )}
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
      <p className={styles['facts']}>
        <When at={event.occurredAt} exact />
        {event.requestId !== '' && (
          <Link to="/audit" search={{ request: event.requestId } as never} title={`Request ${event.requestId}`}>
            Same request
          </Link>
        )}
      </p>
    </>
  )
}
