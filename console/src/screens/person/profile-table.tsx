import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { FieldOwner, FieldOwnerSchema, UserProfileField, UserService } from '../../../../gen/svc/v2/user_pb.js'
import { enumText } from '../../api/words.js'
import { Badge, Button, type Tone } from '../../ui/button.js'
import { Scroll } from '../../ui/scroll.js'
import table from '../../ui/table.module.css'
import { When } from '../../ui/when.js'
import { ActorName } from '../audit/actor-name.js'
import styles from './person.module.css'
import { type ProfileFact, skipReason } from './profile-facts.js'

const tones: Readonly<Record<FieldOwner, Tone>> = {
  [FieldOwner.UNSPECIFIED]: 'plain',
  [FieldOwner.AUTOMATION]: 'plain',
  [FieldOwner.PINNED]: 'accent',
  [FieldOwner.DIRECTORY]: 'warn',
}

interface ProfileTableProps {
  readonly facts: readonly ProfileFact[]
  /** Whether the caller may read who wrote and what was skipped. */
  readonly knowsHistory: boolean
  /** Why the caller cannot change the person; undefined if they can. */
  readonly why: string | undefined
  readonly onPin: (fact: ProfileFact) => void
  readonly onRelease: (fact: ProfileFact) => void
}

/** Each field of a profile with its value, who owns it since when, who wrote it, and what was skipped and why. */
export function ProfileTable({ facts, knowsHistory, why, onPin, onRelease }: ProfileTableProps) {
  return (
    <Scroll label="Profile, field by field">
      <table className={`${table['table']} ${styles['profile']}`}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Value</th>
            <th scope="col">Owner</th>
            <th scope="col">Since</th>
            <th scope="col">Last written by</th>
            <th scope="col">
              <span className="unseen">What can be done</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {facts.map((fact) => (
            <tr key={fact.field}>
              <th scope="row">{fact.label}</th>
              <td>
                <FieldValue fact={fact} />
                <Skipped fact={fact} />
              </td>
              <td data-label="Owner">
                <Badge tone={tones[fact.owner]}>{enumText(FieldOwnerSchema, fact.owner) || 'Nobody'}</Badge>
              </td>
              <td data-label="Since">
                <When at={fact.since} exact />
              </td>
              <td data-label="Last written by">
                <Writer fact={fact} knowsHistory={knowsHistory} />
              </td>
              <td className={styles['actions']}>
                <OwnerButton fact={fact} why={why} onPin={onPin} onRelease={onRelease} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

function FieldValue({ fact }: { readonly fact: ProfileFact }) {
  const isManager = fact.field === UserProfileField.MANAGER && fact.value !== ''
  const manager = useQuery(UserService.method.getUser, { id: fact.value }, { enabled: isManager })
  if (!isManager) return <>{fact.value || '–'}</>
  return (
    <Link to="/people/$id" params={{ id: fact.value }}>
      {manager.data?.data?.name || fact.value}
    </Link>
  )
}

function Writer({ fact, knowsHistory }: Pick<ProfileTableProps, 'knowsHistory'> & { readonly fact: ProfileFact }) {
  if (!knowsHistory) return <>Needs audit:read</>
  if (fact.written === undefined) return <>Not in the audit log</>
  return (
    <>
      <ActorName actor={fact.written.actor} />
      <br />
      <span className={styles['muted']}>
        <When at={fact.written.occurredAt} exact />
      </span>
    </>
  )
}

function Skipped({ fact: { skipped } }: { readonly fact: ProfileFact }) {
  if (skipped === undefined) return null
  return (
    <p className={styles['skipped']}>
      Skipped <When at={skipped.event.occurredAt} exact />: <ActorName actor={skipped.event.actor} /> sent a value, but{' '}
      {skipReason(skipped)}.
    </p>
  )
}

function OwnerButton({
  fact,
  why,
  onPin,
  onRelease,
}: Omit<ProfileTableProps, 'facts' | 'knowsHistory'> & { readonly fact: ProfileFact }) {
  const isLocked = fact.owner === FieldOwner.DIRECTORY
  const reason = why ?? (isLocked ? 'The directory supplies this field: change it there.' : undefined)
  if (fact.owner === FieldOwner.PINNED) {
    return (
      <Button look="quiet" why={reason} onClick={() => onRelease(fact)} label={`Release ${fact.label}`}>
        Release
      </Button>
    )
  }
  const isEmpty = fact.field === UserProfileField.MANAGER && fact.value === ''
  return (
    <Button
      look="quiet"
      why={reason ?? (isEmpty ? 'There is no manager to pin.' : undefined)}
      onClick={() => onPin(fact)}
      label={`Pin ${fact.label}`}
    >
      Pin
    </Button>
  )
}
