import { FieldOwner, FieldOwnerSchema, UserProfileField } from '../../../../gen/svc/v2/user_pb.js'
import { PersonLink } from '../../api/names.js'
import { enumText } from '../../api/words.js'
import { Badge, Button, type Tone } from '../../ui/button.js'
import type { Column } from '../../ui/paged-table.js'
import { ShortTable } from '../../ui/short-table.js'
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
export function ProfileTable({ facts, knowsHistory, ...owning }: ProfileTableProps) {
  const columns: readonly Column<ProfileFact>[] = [
    { label: 'Field', cell: ({ label }) => label },
    {
      label: 'Value',
      cell: (fact) => (
        <>
          <FieldValue fact={fact} />
          <Skipped fact={fact} />
        </>
      ),
    },
    {
      label: 'Owner',
      cell: ({ owner }) => <Badge tone={tones[owner]}>{enumText(FieldOwnerSchema, owner) || 'Nobody'}</Badge>,
    },
    { label: 'Since', cell: ({ since }) => <When at={since} exact /> },
    { label: 'Last written by', cell: (fact) => <Writer fact={fact} knowsHistory={knowsHistory} /> },
    { label: 'What can be done', hidesLabel: true, cell: (fact) => <OwnerButton fact={fact} {...owning} /> },
  ]
  return (
    <ShortTable label="Profile, field by field" columns={columns} rows={facts} keyOf={({ field }) => String(field)} />
  )
}

function FieldValue({ fact }: { readonly fact: ProfileFact }) {
  if (fact.field === UserProfileField.MANAGER) return <PersonLink id={fact.value} />
  return <>{fact.value || '–'}</>
}

function Writer({ fact, knowsHistory }: Pick<ProfileTableProps, 'knowsHistory'> & { readonly fact: ProfileFact }) {
  if (!knowsHistory) return <>Needs audit:read</>
  if (fact.written === undefined) return <span className={styles['muted']}>Not recorded</span>
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
