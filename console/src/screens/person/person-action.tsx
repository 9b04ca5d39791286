import { type ReactNode, useState } from 'react'
import {
  FieldOwner,
  type GetUserResponse,
  type User,
  UserProfileField,
  UserService,
} from '../../../../gen/svc/v2/user_pb.js'
import { UserRelationshipService } from '../../../../gen/svc/v2/user_relationship_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { ReadFirst } from '../../ui/read-first.js'
import { WriteDialog, type WriteSubject } from '../../ui/write-dialog.js'
import { ResourceForm } from '../resource/resource-form.js'
import { ChangeManager } from './change-manager.js'
import { personForm, profileFields, type SavedProfile, savedText } from './person-form.js'
import type { ProfileFact } from './profile-facts.js'

type Open =
  | { readonly kind: 'edit' | 'address' | 'manager' | 'deactivate' | 'reactivate' | 'end' }
  | { readonly kind: 'pin' | 'release'; readonly fact: ProfileFact }
type PersonSubject = WriteSubject<GetUserResponse>

/** What can be done to a person: functions that open the dialog of each, the open dialog, and what came of the last one. */
export function usePersonAction(user: User, person: PersonSubject, facts: readonly ProfileFact[]) {
  const [open, setOpen] = useState<Open>()
  const [notice, setNotice] = useState<string>()
  const whyNotRole = useWhyNot(UserService.method.updateUser)
  const supplied = facts.filter(({ owner }) => owner === FieldOwner.DIRECTORY)
  const own = profileFields.filter((name) => !supplied.some(({ property }) => property === name))
  const close = () => setOpen(undefined)
  const done = (text: string) => {
    close()
    setNotice(text)
  }
  const common = { user, person, onClose: close }
  const dialogFor = (action: Open): ReactNode => {
    switch (action.kind) {
      case 'edit':
      case 'address':
        return (
          <ResourceForm
            declaration={personForm}
            only={action.kind === 'address' ? ['email'] : [...own, ...(whyNotRole ? [] : ['role'])]}
            note={action.kind === 'edit' && <EditNote supplied={supplied} />}
            subject={person}
            said={savedText}
            onClose={close}
            onDone={(answer) => done(savedText(answer))}
          />
        )
      case 'manager':
        return <ChangeManager user={user} onClose={close} onDone={(answer) => done(savedText(answer))} />
      case 'pin':
      case 'release':
        return (
          <OwnerDialog {...common} fact={action.fact} kind={action.kind} onDone={(answer) => done(savedText(answer))} />
        )
      case 'deactivate':
      case 'reactivate':
      case 'end':
        return <StateDialog {...common} kind={action.kind} onDone={done} />
    }
  }
  return {
    notice,
    dialog: open && dialogFor(open),
    address: () => setOpen({ kind: 'address' }),
    manager: () => setOpen({ kind: 'manager' }),
    edit: () => setOpen({ kind: 'edit' }),
    deactivate: () => setOpen({ kind: 'deactivate' }),
    reactivate: () => setOpen({ kind: 'reactivate' }),
    end: () => setOpen({ kind: 'end' }),
    pin: (fact: ProfileFact) => setOpen({ kind: 'pin', fact }),
    release: (fact: ProfileFact) => setOpen({ kind: 'release', fact }),
  }
}

function EditNote({ supplied }: { readonly supplied: readonly ProfileFact[] }) {
  return (
    <p>
      A field that you write becomes pinned: automation cannot change it until it is released.
      {supplied.length > 0 && ` The directory supplies, and changes: ${supplied.map(({ label }) => label).join(', ')}.`}
    </p>
  )
}

/** What the dialogs about a person need. */
export interface PersonDialogProps {
  readonly user: User
  readonly person: PersonSubject
  readonly onClose: () => void
}

interface OwnerDialogProps extends PersonDialogProps {
  readonly fact: ProfileFact
  readonly kind: 'pin' | 'release'
  readonly onDone: (answer: SavedProfile) => void
}

/** Pins a field at its value, or hands it back to automation. */
function OwnerDialog({ user, person, fact, kind, onClose, onDone }: OwnerDialogProps) {
  const { field, label, property, value } = fact
  const changesOf = (data: User | undefined) => {
    const owner = data?.fieldOwnership.find((each) => each.field === field)?.owner
    const from = owner === FieldOwner.PINNED ? 'Pinned' : 'Automation'
    return [{ label: `Owner of ${label}`, from, to: kind === 'pin' ? 'Pinned' : 'Automation' }]
  }
  const title = kind === 'pin' ? `Pin ${label}` : `Release ${label}`
  const common = {
    title,
    confirm: kind === 'pin' ? 'Pin' : 'Release',
    onClose,
    onDone,
    children:
      kind === 'pin' ? (
        <p>The value stays as it is, and automation cannot change it until the field is released.</p>
      ) : (
        <p>The value stays as it is until the next writer changes it.</p>
      ),
  }
  // A manager is no field of an update, but a relationship with a version of its own.
  if (kind === 'pin' && field === UserProfileField.MANAGER) {
    const { getUserRelationship, createUserRelationship } = UserRelationshipService.method
    const input = { userId: user.id, relatedUserId: value, pin: true }
    return (
      <ReadFirst title={title} method={getUserRelationship} input={{ userId: user.id }} onClose={onClose}>
        {(subject) => (
          <WriteDialog
            {...common}
            subject={subject}
            method={createUserRelationship}
            input={input}
            changes={() => changesOf(user)}
          />
        )}
      </ReadFirst>
    )
  }
  // A person's write pins the field, with the value that it has.
  const input = kind === 'pin' ? { id: user.id, [property]: value } : { id: user.id, releaseFields: [field] }
  return (
    <WriteDialog
      {...common}
      subject={person}
      method={UserService.method.updateUser}
      input={input}
      changes={(answer) => changesOf(answer?.data)}
    />
  )
}

interface StateDialogProps extends PersonDialogProps {
  readonly kind: 'deactivate' | 'reactivate' | 'end'
  readonly onDone: (text: string) => void
}

function StateDialog({ user, person, kind, onClose, onDone }: StateDialogProps) {
  const name = user.name || user.email
  const common = { input: { id: user.id }, subject: person, onClose }
  const state = (to: string) => (answer: { readonly data?: User | undefined } | undefined) => [
    { label: 'State', from: answer?.data?.deactivatedAt === undefined ? 'Active' : 'Deactivated', to },
  ]
  switch (kind) {
    case 'deactivate':
      return (
        <WriteDialog
          {...common}
          title={`Deactivate ${name}`}
          method={UserService.method.deactivateUser}
          changes={state('Deactivated')}
          confirm="Deactivate"
          isDangerous
          onDone={({ activeApiKeyCount }) => onDone(deactivatedText(name, activeApiKeyCount))}
        >
          <p>All sessions end at once, and no token is accepted until the person is reactivated.</p>
          <p>Keys that the person has created work on: they belong to the organization.</p>
        </WriteDialog>
      )
    case 'reactivate':
      return (
        <WriteDialog
          {...common}
          title={`Reactivate ${name}`}
          method={UserService.method.reactivateUser}
          changes={state('Active')}
          confirm="Reactivate"
          onDone={() => onDone(`${name} is active again. Earlier tokens stay dead.`)}
        />
      )
    case 'end':
      return (
        <WriteDialog
          {...common}
          title={`End the sessions of ${name}`}
          method={UserService.method.endUserSessions}
          changes={() => [{ label: 'Sessions', from: 'All that there are', to: 'None' }]}
          confirm="End sessions"
          isDangerous
          onDone={() => onDone(`The sessions of ${name} have ended.`)}
        />
      )
  }
}

function deactivatedText(name: string, keys: number): string {
  const left = keys === 1 ? '1 key that the person created works' : `${keys} keys that the person created work`
  return `${name} is deactivated.${keys === 0 ? '' : ` ${left} on: see Keys.`}`
}
