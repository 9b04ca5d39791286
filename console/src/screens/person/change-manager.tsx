import { useState } from 'react'
import type { User } from '../../../../gen/svc/v2/user_pb.js'
import {
  type GetUserRelationshipResponse,
  UserRelationshipService,
} from '../../../../gen/svc/v2/user_relationship_pb.js'
import { PersonLink } from '../../api/names.js'
import { Picker } from '../../ui/picker.js'
import { ReadFirst } from '../../ui/read-first.js'
import { WriteDialog, type WriteSubject } from '../../ui/write-dialog.js'
import type { SavedProfile } from './person-form.js'

const { getUserRelationship, createUserRelationship, deleteUserRelationship } = UserRelationshipService.method

interface ChangeManagerProps {
  readonly user: User
  readonly onClose: () => void
  readonly onDone: (answer: SavedProfile) => void
}

/** Gives a person another manager, or none. The relationship has a version of its own, if there is one. */
export function ChangeManager(props: ChangeManagerProps) {
  const title = `Change the manager of ${props.user.name || props.user.email}`
  const input = { userId: props.user.id }
  return (
    <ReadFirst title={title} method={getUserRelationship} input={input} mayBeMissing onClose={props.onClose}>
      {(subject) => <ManagerDialog {...props} title={title} subject={subject} />}
    </ReadFirst>
  )
}

interface ManagerDialogProps extends ChangeManagerProps {
  readonly title: string
  readonly subject: WriteSubject<GetUserRelationshipResponse> | 'nothing'
}

function ManagerDialog({ user, title, subject, onClose, onDone }: ManagerDialogProps) {
  const [chosen, setChosen] = useState(user.managerUserId)
  const common = {
    title,
    subject,
    confirm: 'Save',
    isTyped: chosen !== user.managerUserId,
    changes: (answer: GetUserRelationshipResponse | undefined) => {
      const now = answer?.data?.relatedUserId ?? ''
      return chosen === now ? [] : [{ label: 'Manager', from: <PersonLink id={now} />, to: <PersonLink id={chosen} /> }]
    },
    children: (
      <>
        <p>The manager becomes pinned: automation cannot change it until the field is released.</p>
        <Picker label="Manager" kind="people" hint="Leave empty for nobody." value={chosen} onChange={setChosen} />
      </>
    ),
    onClose,
    onDone,
  }
  const userId = user.id
  return chosen === '' ? (
    <WriteDialog {...common} method={deleteUserRelationship} input={{ userId }} />
  ) : (
    <WriteDialog {...common} method={createUserRelationship} input={{ userId, relatedUserId: chosen }} />
  )
}
