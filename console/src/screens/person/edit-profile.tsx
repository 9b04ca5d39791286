import { create } from '@bufbuild/protobuf'
import { useState } from 'react'
import {
  UpdateUserRequestSchema,
  type User,
  type UserProfileField,
  UserProfileFieldSchema,
  UserRoleSchema,
  UserService,
} from '../../../../gen/svc/v2/user_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import type { Tagged } from '../../api/tagged.js'
import { enumOptions, enumText, labelOf } from '../../api/words.js'
import { Button } from '../../ui/button.js'
import { Dialog, DialogFoot } from '../../ui/dialog.js'
import { SelectField, TextField } from '../../ui/field.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import { useFormFaults } from '../resource/field-faults.js'
import styles from './person.module.css'

/** What can be edited of a person at once, except the address, which changes alone, and the manager. */
const fields = [
  'firstName',
  'lastName',
  'department',
  'jobTitle',
  'timezone',
  'locale',
  'primaryPhone',
  'avatarUrl',
] as const

type PersonAnswer = { readonly data?: User | undefined }

interface EditProfileProps {
  readonly user: User
  readonly tagged: Tagged<PersonAnswer>
  readonly read: () => Promise<Tagged<PersonAnswer>>
  /** Fields that the directory supplies: they are shown, and cannot be edited. */
  readonly locked: ReadonlySet<string>
  readonly onClose: () => void
  readonly onDone: (answer: SavedProfile) => void
}

/** What a write of a profile answers. */
export interface SavedProfile {
  readonly skippedPinnedFields: readonly UserProfileField[]
  readonly skippedDirectoryLockedFields: readonly UserProfileField[]
}

/** Edits a person: first a form, then what it changes. What was typed stays until it is saved or thrown away. */
export function EditProfile({ user, tagged, read, locked, onClose, onDone }: EditProfileProps) {
  const whyNotRole = useWhyNot(UserService.method.updateUser)
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>({})
  const [role, setRole] = useState<string>()
  const [isSaving, setSaving] = useState(false)
  const changed = fields.filter((field) => draft[field] !== undefined && draft[field] !== user[field])
  const isRoleChanged = role !== undefined && Number(role) !== user.role
  const count = changed.length + (isRoleChanged ? 1 : 0)
  const request = create(UpdateUserRequestSchema, {
    id: user.id,
    ...Object.fromEntries(changed.map((field) => [field, draft[field]])),
    ...(isRoleChanged && { role: Number(role) }),
  })
  const form = useFormFaults(UpdateUserRequestSchema, request, { shown: fields })
  if (isSaving) {
    return (
      <WriteDialog
        title={`Change ${user.name || user.email}`}
        method={UserService.method.updateUser}
        input={request}
        subject={{ tagged, read }}
        changes={(answer) => [
          ...changed.map((field) => ({ label: labelOf(field), from: answer?.data?.[field], to: draft[field] ?? '' })),
          ...(isRoleChanged
            ? [
                {
                  label: 'Role',
                  from: enumText(UserRoleSchema, answer?.data?.role ?? 0),
                  to: enumText(UserRoleSchema, Number(role)),
                },
              ]
            : []),
        ]}
        confirm="Save"
        isTyped
        said={savedText}
        onClose={() => setSaving(false)}
        onDone={onDone}
        onFaults={(found) => form.refuse(found, () => setSaving(false))}
      >
        <p>A field that you write becomes pinned: automation cannot change it until it is released.</p>
      </WriteDialog>
    )
  }
  return (
    <Dialog title={`Edit ${user.name || user.email}`} look="wide" isTyped={count > 0} onClose={onClose}>
      <div className={styles['form']}>
        {fields.map((field) =>
          locked.has(field) ? (
            <div key={field}>
              <p className={styles['muted']}>{labelOf(field)}: supplied by the directory</p>
              <p>{user[field] || '–'}</p>
            </div>
          ) : (
            <TextField
              key={field}
              label={labelOf(field)}
              value={draft[field] ?? user[field]}
              fault={form.at(field)[0]?.text}
              onChange={(value) => setDraft({ ...draft, [field]: value })}
            />
          ),
        )}
        {whyNotRole === undefined && (
          <SelectField
            label="Role"
            value={role ?? String(user.role)}
            options={enumOptions(UserRoleSchema, '').slice(1)}
            onChange={setRole}
          />
        )}
      </div>
      <DialogFoot>
        <Button onClick={onClose}>{count === 0 ? 'Cancel' : 'Discard changes'}</Button>
        <Button
          look="main"
          onClick={() => form.review(() => setSaving(true))}
          why={count === 0 ? 'Nothing is changed yet.' : form.why}
        >
          Review {count === 1 ? '1 change' : `${count} changes`}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

/** What came of a write: nothing is skipped silently. */
export function savedText({ skippedPinnedFields, skippedDirectoryLockedFields }: SavedProfile): string {
  const names = (fields: readonly UserProfileField[]) =>
    fields.map((field) => enumText(UserProfileFieldSchema, field)).join(', ')
  return [
    'Saved.',
    skippedPinnedFields.length > 0 && `Skipped because they are pinned: ${names(skippedPinnedFields)}.`,
    skippedDirectoryLockedFields.length > 0 &&
      `Skipped because the directory supplies them: ${names(skippedDirectoryLockedFields)}.`,
  ]
    .filter(Boolean)
    .join(' ')
}
