import { useState } from 'react'
import {
  FieldOwner,
  type GetUserResponse,
  type User,
  UserProfileField,
  UserService,
} from '../../../../gen/svc/v2/user_pb.js'
import {
  type GetUserRelationshipResponse,
  UserRelationshipService,
} from '../../../../gen/svc/v2/user_relationship_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { nameOf } from '../../api/message.js'
import { PersonLink } from '../../api/things.js'
import { countText } from '../../api/words.js'
import { Button, type ButtonProps, Toolbar } from '../../ui/button.js'
import { Picker } from '../../ui/picker.js'
import { WriteButton } from '../../ui/write-button.js'
import type { WriteSubject } from '../../ui/write-dialog.js'
import { ResourceForm } from '../resource/resource-form.js'
import { personForm, profileFields, savedText } from './person-form.js'
import type { ProfileFact } from './profile-facts.js'

const { updateUser, deactivateUser, reactivateUser, endUserSessions } = UserService.method
const { getUserRelationship, createUserRelationship, deleteUserRelationship } = UserRelationshipService.method

/** A person, as they were read, and what is known of their fields. */
export interface PersonProps {
  readonly user: User
  readonly subject: WriteSubject<GetUserResponse>
  readonly facts: readonly ProfileFact[]
}

/** What can be done with a person: their sessions, their state, and all that one may write of them at once. */
export function PersonActions({ user, subject, facts }: PersonProps) {
  const why = useWhyNot(deactivateUser)
  const name = nameOf(user)
  const common = { input: { id: user.id }, subject, why }
  const state = (to: string) => (answer: { readonly data?: User | undefined } | undefined) => [
    { label: 'State', from: answer?.data?.deactivatedAt === undefined ? 'Active' : 'Deactivated', to },
  ]
  return (
    <Toolbar>
      <WriteButton
        {...common}
        text="End sessions"
        look="plain"
        title={`End the sessions of ${name}`}
        method={endUserSessions}
        changes={() => [{ label: 'Sessions', from: 'All that there are', to: 'None' }]}
        confirm="End sessions"
        isDangerous
        said={() => `The sessions of ${name} have ended.`}
      />
      {user.deactivatedAt === undefined ? (
        <WriteButton
          {...common}
          title={`Deactivate ${name}`}
          method={deactivateUser}
          changes={state('Deactivated')}
          confirm="Deactivate"
          isDangerous
          said={({ activeApiKeyCount }) => deactivatedText(name, activeApiKeyCount)}
        >
          <p>All sessions end at once, and no token is accepted until the person is reactivated.</p>
          <p>Keys that the person created keep working: they belong to the organization.</p>
        </WriteButton>
      ) : (
        <WriteButton
          {...common}
          title={`Reactivate ${name}`}
          method={reactivateUser}
          changes={state('Active')}
          confirm="Reactivate"
          said={() => `${name} is active again. Earlier tokens stay invalid.`}
        />
      )}
      <EditButton user={user} subject={subject} facts={facts} look="main" />
    </Toolbar>
  )
}

function deactivatedText(name: string, keys: number): string {
  const left = countText(keys, 'key that the person created still works', 'keys that the person created still work')
  return `${name} is deactivated.${keys === 0 ? '' : ` ${left}: see API keys.`}`
}

interface EditButtonProps extends PersonProps, Pick<ButtonProps, 'look' | 'label'> {
  /** What is edited alone. Default: all that one may write of a person at once. */
  readonly only?: readonly string[]
}

/** Opens the form of a person. */
export function EditButton({ user, subject, facts, only, ...look }: EditButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const noRight = useWhyNot(updateUser, { userId: user.id })
  const whyNotRole = useWhyNot(updateUser)
  const supplied = facts.filter(({ owner }) => owner === FieldOwner.DIRECTORY)
  const own = profileFields.filter((name) => !supplied.some(({ property }) => property === name))
  const fields = only ?? [...own, ...(whyNotRole ? [] : ['role'])]
  const whyNothing = fields.length === 0 ? 'The directory supplies all of it: change it there.' : undefined
  const close = () => setOpen(false)
  return (
    <>
      <Button {...look} onClick={() => setOpen(true)} why={(only ? whyNotRole : noRight) ?? whyNothing}>
        {only ? 'Change' : 'Edit'}
      </Button>
      {isOpen && (
        <ResourceForm
          declaration={personForm}
          only={fields}
          note={
            only === undefined && (
              <p>
                A field that you write becomes pinned: automation cannot change it until it is released.
                {supplied.length > 0 &&
                  ` The directory supplies, and changes: ${supplied.map(({ label }) => label).join(', ')}.`}
              </p>
            )
          }
          subject={subject}
          said={savedText}
          onClose={close}
          onDone={close}
        />
      )}
    </>
  )
}

/** Gives a person another manager, or none. The relationship has a version of its own, if there is one. */
export function ManagerButton({ user, facts }: PersonProps) {
  const [picked, setPicked] = useState<string>()
  const chosen = picked ?? user.managerUserId
  const noRight = useWhyNot(createUserRelationship)
  const isSupplied = facts.some(
    ({ field, owner }) => field === UserProfileField.MANAGER && owner === FieldOwner.DIRECTORY,
  )
  const userId = user.id
  const common = {
    text: 'Change',
    label: 'Change the manager',
    look: 'quiet' as const,
    why: noRight ?? (isSupplied ? 'The directory supplies the manager: change it there.' : undefined),
    title: `Change the manager of ${nameOf(user)}`,
    ...(user.managerUserId === ''
      ? { subject: 'nothing' as const }
      : { first: { method: getUserRelationship, input: { userId } } }),
    confirm: 'Save',
    isTyped: chosen !== user.managerUserId,
    changes: (answer: GetUserRelationshipResponse | undefined) => {
      const now = answer?.data?.relatedUserId ?? ''
      return chosen === now ? [] : [{ label: 'Manager', from: <PersonLink id={now} />, to: <PersonLink id={chosen} /> }]
    },
    children: (
      <>
        <p>The manager becomes pinned: automation cannot change it until the field is released.</p>
        <Picker label="Manager" kind="people" hint="Leave empty for nobody." value={chosen} onChange={setPicked} />
      </>
    ),
    said: savedText,
    onClose: () => setPicked(undefined),
  }
  return chosen === '' ? (
    <WriteButton {...common} method={deleteUserRelationship} input={{ userId }} />
  ) : (
    <WriteButton {...common} method={createUserRelationship} input={{ userId, relatedUserId: chosen }} />
  )
}

interface OwnerButtonProps extends Omit<PersonProps, 'facts'> {
  readonly fact: ProfileFact
}

/** Pins a field at its value, or hands it back to automation. */
export function OwnerButton({ user, subject, fact: { field, label, property, value, owner } }: OwnerButtonProps) {
  const isPin = owner !== FieldOwner.PINNED
  const isManager = field === UserProfileField.MANAGER
  const noRight = useWhyNot(isPin && isManager ? createUserRelationship : updateUser, { userId: user.id })
  const isSupplied = owner === FieldOwner.DIRECTORY
  const changesOf = (data: User | undefined) => {
    const before = data?.fieldOwnership.find((each) => each.field === field)?.owner
    const from = before === FieldOwner.PINNED ? 'Pinned' : 'Automation'
    return [{ label: `Owner of ${label}`, from, to: isPin ? 'Pinned' : 'Automation' }]
  }
  const confirm = isPin ? 'Pin' : 'Release'
  const common = {
    label: `${confirm} ${label}`,
    look: 'quiet' as const,
    why:
      noRight ??
      (isSupplied ? 'The directory supplies this field: change it there.' : undefined) ??
      (isPin && isManager && value === '' ? 'There is no manager to pin.' : undefined),
    title: `${confirm} ${label}`,
    confirm,
    said: savedText,
    children: (
      <p>
        {isPin
          ? 'The value stays as it is, and automation cannot change it until the field is released.'
          : 'The value stays as it is until the next writer changes it.'}
      </p>
    ),
  }
  // A manager is no field of an update, but a relationship with a version of its own.
  if (isPin && isManager) {
    return (
      <WriteButton
        {...common}
        first={{ method: getUserRelationship, input: { userId: user.id } }}
        method={createUserRelationship}
        input={{ userId: user.id, relatedUserId: value, pin: true }}
        changes={() => changesOf(user)}
      />
    )
  }
  return (
    <WriteButton
      {...common}
      subject={subject}
      method={updateUser}
      // A person's write pins the field, with the value that it has.
      input={isPin ? { id: user.id, [property]: value } : { id: user.id, releaseFields: [field] }}
      changes={(answer: GetUserResponse | undefined) => changesOf(answer?.data)}
    />
  )
}
