import { useState } from 'react'
import { UserService } from '../../../../gen/svc/v2/user_pb.js'
import { TextField } from '../../ui/field.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import type { SavedProfile } from './edit-profile.js'
import type { PersonDialogProps } from './person-action.js'

interface ChangeAddressProps extends PersonDialogProps {
  readonly onDone: (answer: SavedProfile) => void
}

/** Changes the address of a person, which changes alone. */
export function ChangeAddress({ user, person, onClose, onDone }: ChangeAddressProps) {
  const [email, setEmail] = useState(user.email)
  return (
    <WriteDialog
      title={`Change the address of ${user.name || user.email}`}
      method={UserService.method.updateUser}
      input={{ id: user.id, email }}
      subject={person}
      changes={(answer) =>
        email === answer?.data?.email ? [] : [{ label: 'Address', from: answer?.data?.email, to: email }]
      }
      confirm="Save"
      onClose={onClose}
      onDone={onDone}
    >
      <p>People sign in with their address: the issuer must name the new one.</p>
      <TextField label="Address" value={email} onChange={setEmail} />
    </WriteDialog>
  )
}
