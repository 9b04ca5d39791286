import { useState } from 'react'
import { type ApiKey, ApiKeyService } from '../../../../gen/svc/v2/api_key_pb.js'
import { CheckField, SelectField } from '../../ui/field.js'
import { WriteDialog } from '../../ui/write-dialog.js'

const overlaps = [
  { value: '0', text: 'Not at all' },
  { value: '3600', text: 'One hour' },
  { value: '86400', text: 'One day' },
  { value: '604800', text: 'One week' },
]
const DAY = '86400'

interface KeyActionProps {
  readonly kind: 'rotate' | 'revoke'
  readonly apiKey: ApiKey
  readonly onClose: () => void
  /** With the secret and the id of the next key after a rotation. */
  readonly onDone: (secret: string | undefined, id?: string) => void
}

/** Replaces a key by another one, or ends it. */
export function KeyAction({ kind, apiKey, onClose, onDone }: KeyActionProps) {
  const [overlap, setOverlap] = useState(DAY)
  const [isChain, setChain] = useState(false)
  const name = apiKey.name || apiKey.id
  if (kind === 'rotate') {
    const overlapText = overlaps.find(({ value }) => value === overlap)?.text ?? ''
    return (
      <WriteDialog
        title={`Rotate ${name}`}
        method={ApiKeyService.method.rotateApiKey}
        input={{ id: apiKey.id, overlapSeconds: Number(overlap) }}
        changes={() => [
          { label: 'Next key', to: 'The same rights, another id and secret' },
          { label: 'This key still works', from: 'Yes', to: overlapText },
        ]}
        confirm="Rotate"
        onClose={onClose}
        onDone={({ secret, data }) => onDone(secret ?? '', data?.id)}
      >
        <SelectField label="How long both work" value={overlap} options={overlaps} onChange={setOverlap} />
      </WriteDialog>
    )
  }
  return (
    <WriteDialog
      title={`Revoke ${name}`}
      method={ApiKeyService.method.revokeApiKey}
      input={{ id: apiKey.id, chain: isChain }}
      changes={() => [
        { label: isChain ? 'All keys of the chain' : 'State', from: 'Active', to: 'Revoked, at once and for good' },
      ]}
      confirm="Revoke"
      isDangerous
      onClose={onClose}
      onDone={() => onDone(undefined)}
    >
      <CheckField label="Every key that it was rotated from or to as well" checked={isChain} onChange={setChain} />
    </WriteDialog>
  )
}
