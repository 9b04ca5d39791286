import { create } from '@bufbuild/protobuf'
import { useState } from 'react'
import { ApiKeyKind, ApiKeyService } from '../../../../gen/svc/v2/api_key_pb.js'
import { useCaller } from '../../api/caller-context.js'
import { useTeamName, useTeams } from '../../api/names.js'
import { Button } from '../../ui/button.js'
import { Dialog, DialogFoot } from '../../ui/dialog.js'
import { CheckField, SelectField, TextField } from '../../ui/field.js'
import { SecretDialog } from '../../ui/secret-dialog.js'
import { WriteDialog } from '../../ui/write-dialog.js'
import { useFormFaults } from '../resource/field-faults.js'
import styles from './keys.module.css'

const { createApiKey } = ApiKeyService.method
const DAY_SECONDS = 86_400
const FIELDS = ['name', 'kind', 'teamId', 'permissions', 'lifetimeSeconds']
const kinds = [
  { value: String(ApiKeyKind.PK), text: 'A program' },
  { value: String(ApiKeyKind.WK), text: 'A worker, which writes as automation' },
  { value: String(ApiKeyKind.MK), text: 'A directory, which writes over SCIM' },
]

interface CreateKeyProps {
  /** What it is for at first. */
  readonly kind?: ApiKeyKind
  readonly onClose: () => void
}

/** Creates a key: a form, what it creates, and the secret, once. */
export function CreateKey({ kind = ApiKeyKind.PK, onClose }: CreateKeyProps) {
  const caller = useCaller()
  const teamName = useTeamName()
  const teams = useTeams()
  const [draft, setDraft] = useState({
    name: '',
    kind: String(kind),
    teamId: '',
    days: kind === ApiKeyKind.MK ? '365' : '90',
  })
  const [permissions, setPermissions] = useState<readonly string[]>([])
  const [step, setStep] = useState<'form' | 'review'>('form')
  const [secret, setSecret] = useState<{ readonly text: string; readonly id: string }>()
  const set = (name: keyof typeof draft) => (value: string) => {
    setDraft({ ...draft, [name]: value })
    if (name === 'teamId') setPermissions([])
  }
  const isTyped = draft.name !== '' || permissions.length > 0
  const team = caller.teams.find(({ teamId }) => teamId === draft.teamId)
  const held = [...new Set([...caller.permissions, ...(team?.permissions ?? [])])].sort()
  const isDirectory = draft.kind === String(ApiKeyKind.MK)
  const days = Number(draft.days)
  const isRead = draft.days === '' || (Number.isInteger(days) && days >= 1 && days <= 3_650)
  const unread = isRead ? [] : [{ path: ['lifetimeSeconds'], text: 'From 1 to 3,650 days.' }]
  const input = {
    name: draft.name,
    kind: Number(draft.kind),
    teamId: isDirectory ? '' : draft.teamId,
    permissions: isDirectory ? [] : [...permissions],
    lifetimeSeconds: days * DAY_SECONDS,
  }
  const form = useFormFaults(createApiKey.input, isRead ? create(createApiKey.input, input) : undefined, {
    shown: FIELDS,
    unread,
  })
  const faultAt = (name: string) => form.at(name)[0]?.text
  const missing = isDirectory || permissions.length > 0 ? undefined : 'Choose at least one permission.'
  if (secret !== undefined)
    return (
      <SecretDialog
        secret={secret.text}
        of="API key"
        clientId={secret.id}
        kind={Number(draft.kind)}
        onClose={onClose}
      />
    )
  if (step === 'review') {
    const scope = draft.teamId === '' ? 'The organization' : teamName(draft.teamId)
    return (
      <WriteDialog
        title="Create an API key"
        method={createApiKey}
        input={input}
        changes={() => [
          { label: 'Name', to: draft.name },
          { label: 'For', to: kinds.find(({ value }) => value === draft.kind)?.text ?? '' },
          { label: 'Reaches', to: isDirectory ? 'The organization' : scope },
          ...(isDirectory ? [] : [{ label: 'Permissions', to: permissions.join(', ') }]),
          { label: 'Ends', to: days > 0 ? `After ${days} days` : 'Never' },
        ]}
        confirm="Create"
        isTyped
        onClose={() => setStep('form')}
        onFaults={(found) => form.refuse(found, () => setStep('form'))}
        onDone={({ secret: made, data }) => setSecret({ text: made ?? '', id: data?.id ?? '' })}
      />
    )
  }
  return (
    <Dialog title="Create an API key" look="wide" isTyped={isTyped} onClose={onClose}>
      <div className={styles['form']}>
        <TextField
          label="Name"
          value={draft.name}
          onChange={set('name')}
          fault={faultAt('name')}
          hint="What will use it."
        />
        <SelectField label="For" value={draft.kind} options={kinds} fault={faultAt('kind')} onChange={set('kind')} />
        {!isDirectory && (
          <SelectField
            label="Reaches"
            value={draft.teamId}
            options={[
              { value: '', text: 'The organization' },
              ...teams.map(({ id, name }) => ({ value: id, text: name })),
            ]}
            fault={faultAt('teamId')}
            onChange={set('teamId')}
          />
        )}
        <TextField
          label="Ends after (days)"
          type="number"
          value={draft.days}
          onChange={set('days')}
          fault={faultAt('lifetimeSeconds')}
          hint={
            isDirectory
              ? 'Leave empty for no expiry. When it ends, what the provider writes is refused and people stay as they are: rotate it before.'
              : 'Leave empty for no expiry.'
          }
        />
      </div>
      {!isDirectory && (
        <fieldset className={styles['permissions']}>
          <legend>Permissions</legend>
          <p role={faultAt('permissions') && 'alert'}>
            {faultAt('permissions') ?? 'Nobody gives a key more than they have.'}
          </p>
          {held.map((permission) => (
            <CheckField
              key={permission}
              label={permission}
              checked={permissions.includes(permission)}
              onChange={(checked) =>
                setPermissions(
                  checked ? [...permissions, permission] : permissions.filter((each) => each !== permission),
                )
              }
            />
          ))}
        </fieldset>
      )}
      <DialogFoot>
        <Button onClick={onClose}>{isTyped ? 'Discard changes' : 'Cancel'}</Button>
        <Button look="main" onClick={() => form.review(() => setStep('review'))} why={form.why ?? missing}>
          Review
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
