import { create } from '@bufbuild/protobuf'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { CreateUserRequestSchema, UserRole, UserRoleSchema, UserService } from '../../../../gen/svc/v2/user_pb.js'
import { enumOptions, enumText, labelOf } from '../../api/words.js'
import { Button } from '../../ui/button.js'
import { Dialog, DialogFoot } from '../../ui/dialog.js'
import { SelectField, TextField } from '../../ui/field.js'
import styles from '../../ui/screen.module.css'
import { WriteDialog } from '../../ui/write-dialog.js'
import { useFormFaults } from '../resource/field-faults.js'

const fields = ['email', 'firstName', 'lastName', 'department', 'jobTitle'] as const

/** Adds a person to the organization: a form, then what it creates. */
export function CreatePerson({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>({})
  const [role, setRole] = useState(String(UserRole.ORG_MEMBER))
  const [isReviewing, setReviewing] = useState(false)
  const given = fields.filter((field) => draft[field])
  const request = create(CreateUserRequestSchema, {
    ...Object.fromEntries(given.map((field) => [field, draft[field]])),
    role: Number(role),
  })
  const form = useFormFaults(CreateUserRequestSchema, request, { shown: fields })
  if (isReviewing) {
    return (
      <WriteDialog
        title="Add a person"
        method={UserService.method.createUser}
        input={request}
        isTyped
        changes={() => [
          ...given.map((field) => ({ label: labelOf(field), to: draft[field] ?? '' })),
          { label: 'Role', to: enumText(UserRoleSchema, Number(role)) },
        ]}
        confirm="Add"
        said={({ data }) => `${data?.name || data?.email} is added.`}
        onClose={() => setReviewing(false)}
        onDone={({ data }) => data && void navigate({ to: '/people/$id', params: { id: data.id } })}
        onFaults={(found) => form.refuse(found, () => setReviewing(false))}
      />
    )
  }
  return (
    <Dialog title="Add a person" isTyped={given.length > 0} onClose={onClose}>
      <div className={styles['form']}>
        {fields.map((field) => (
          <TextField
            key={field}
            label={labelOf(field)}
            value={draft[field] ?? ''}
            fault={form.at(field)[0]?.text}
            hint={field === 'email' ? 'They sign in with it.' : undefined}
            onChange={(value) => setDraft({ ...draft, [field]: value })}
          />
        ))}
        <SelectField label="Role" value={role} options={enumOptions(UserRoleSchema, '').slice(1)} onChange={setRole} />
      </div>
      <DialogFoot>
        <Button onClick={onClose}>{given.length > 0 ? 'Discard changes' : 'Cancel'}</Button>
        <Button look="main" why={form.why} onClick={() => form.review(() => setReviewing(true))}>
          Review
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
