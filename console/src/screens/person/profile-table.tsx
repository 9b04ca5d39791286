import { FieldOwnerSchema, UserProfileField } from '../../../../gen/svc/v2/user_pb.js'
import { PersonLink } from '../../api/things.js'
import type { Column } from '../../ui/paged-table.js'
import { ShortTable } from '../../ui/short-table.js'
import { StateBadge } from '../../ui/state-badge.js'
import { When } from '../../ui/when.js'
import { ActorName } from '../audit/audit-timeline.js'
import styles from './person.module.css'
import { OwnerButton, type PersonProps } from './person-actions.js'
import { type ProfileFact, skipReason } from './profile-facts.js'

interface ProfileTableProps extends PersonProps {
  /** Whether the caller may read who wrote and what was skipped. */
  readonly knowsHistory: boolean
}

/** Each field of a profile with its value, who owns it since when, who wrote it, and what was skipped and why. */
export function ProfileTable({ user, subject, facts, knowsHistory }: ProfileTableProps) {
  const columns: readonly Column<ProfileFact>[] = [
    { label: 'Field', cell: ({ label }) => label },
    {
      label: 'Value',
      cell: (fact) => (
        <>
          {fact.field === UserProfileField.MANAGER ? <PersonLink id={fact.value} /> : fact.value || '–'}
          <Skipped fact={fact} />
        </>
      ),
    },
    { label: 'Owner', cell: ({ owner }) => <StateBadge schema={FieldOwnerSchema} value={owner} /> },
    { label: 'Since', cell: ({ since }) => <When at={since} exact /> },
    ...(knowsHistory ? [{ label: 'Last written by', cell: (fact: ProfileFact) => <Writer fact={fact} /> }] : []),
    {
      label: 'What can be done',
      hidesLabel: true,
      cell: (fact) => <OwnerButton fact={fact} user={user} subject={subject} />,
    },
  ]
  return (
    <>
      <ShortTable label="Profile, field by field" columns={columns} rows={facts} keyOf={({ field }) => String(field)} />
      {!knowsHistory && <p className={styles['muted']}>Who wrote a field, and what was skipped, needs audit:read.</p>}
    </>
  )
}

function Writer({ fact }: { readonly fact: ProfileFact }) {
  if (fact.written === undefined) return <span className={styles['muted']}>Not recorded</span>
  return (
    <>
      <ActorName actor={fact.written.actor} /> <br />
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
      {skipReason(skipped.change)}.
    </p>
  )
}
