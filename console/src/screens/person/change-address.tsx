import { useState } from 'react'
import { UserService } from '../../../../gen/svc/v2/user_pb.js'
import { TextField } from '../../ui/field.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import type { SavedProfile } from './edit-profile.js'
import type { PersonDialogProps } from './person-action.js'

interface ChangeAddressProps extends PersonDialogProps {
  readonly onDone: (answer: SavedProfile) => void
}

/** Changes the email of a person, which changes alone. */
export function ChangeAddress({ user, person, onClose, onDone }: ChangeAddressProps) {
  const [email, setEmail] = useState(user.email)
  return (
    <WriteDialog
      title={`Change the email of ${user.name || user.email}`}
      method={UserService.method.updateUser}
      input={{ id: user.id, email }}
      subject={person}
      changes={(answer) =>
        email === answer?.data?.email ? [] : [{ label: 'Email', from: answer?.data?.email, to: email }]
      }
      confirm="Save"
      isTyped={email !== user.email}
      onClose={onClose}
      onDone={onDone}
    >
      <p>People sign in with their email: the issuer must name the new one.</p>
      <TextField label="Email" value={email} onChange={setEmail} />
    </WriteDialog>
  )
}
