import { useState } from 'react'
import type { User } from '../../../../gen/svc/v2/user_pb.js'
import {
  type GetUserRelationshipResponse,
  UserRelationshipService,
} from '../../../../gen/svc/v2/user_relationship_pb.js'
import { PersonLink } from '../../api/names.js'
import { useTagged } from '../../api/tagged.js'
import { PersonField } from '../../ui/person-field.js'
import { WriteDialog, type WriteSubject } from '../../ui/write-dialog.js'
import type { SavedProfile } from './edit-profile.js'

const { getUserRelationship, createUserRelationship, deleteUserRelationship } = UserRelationshipService.method

interface ChangeManagerProps {
  readonly user: User
  readonly onClose: () => void
  readonly onDone: (answer: SavedProfile) => void
}

/** Gives a person another manager, or none. The relationship has a version of its own, if there is one. */
export function ChangeManager(props: ChangeManagerProps) {
  return props.user.managerUserId === '' ? <ManagerDialog {...props} /> : <ManagerOfNow {...props} />
}

function ManagerOfNow(props: ChangeManagerProps) {
  const { data, read } = useTagged(getUserRelationship, { userId: props.user.id })
  return data && <ManagerDialog {...props} subject={{ tagged: data, read }} />
}

interface ManagerDialogProps extends ChangeManagerProps {
  readonly subject?: WriteSubject<GetUserRelationshipResponse>
}

function ManagerDialog({ user, subject, onClose, onDone }: ManagerDialogProps) {
  const [chosen, setChosen] = useState(user.managerUserId)
  const common = {
    title: `Change the manager of ${user.name || user.email}`,
    subject,
    confirm: 'Save',
    changes: (answer: GetUserRelationshipResponse | undefined) => {
      const now = answer?.data?.relatedUserId ?? ''
      return chosen === now ? [] : [{ label: 'Manager', from: <PersonLink id={now} />, to: <PersonLink id={chosen} /> }]
    },
    children: (
      <>
        <p>The manager becomes pinned: automation cannot change it until the field is released.</p>
        <PersonField label="Manager" none="Nobody" value={chosen} onChange={setChosen} />
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
