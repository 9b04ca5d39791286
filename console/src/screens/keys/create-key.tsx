import { ApiKeyKind, ApiKeyService } from '../../../../gen/svc/v2/api_key_pb.js'
import { ResourceForm } from '../resource/resource-form.js'

const { createApiKey } = ApiKeyService.method
const DAY_SECONDS = 86_400
const DIRECTORY = String(ApiKeyKind.MK)

const keyForm: Parameters<typeof ResourceForm>[0]['declaration'] = {
  one: 'API key',
  create: createApiKey,
  update: createApiKey,
  hints: {
    name: 'What will use it.',
    kind: 'A worker writes as automation; a directory writes over SCIM.',
    teamId: 'Leave empty for the whole organization.',
    lifetimeSeconds: 'Leave empty for no expiry.',
  },
  hides: (text) => (text('kind') === DIRECTORY ? ['teamId', 'permissions'] : []),
  lacks: (text) =>
    text('kind') === DIRECTORY || text('permissions') !== '' ? undefined : 'Choose at least one permission.',
}

interface CreateKeyProps {
  /** What it is for at first. */
  readonly kind?: ApiKeyKind
  readonly onClose: () => void
}

/** Creates a key: a form, what it creates, and the secret, once. */
export function CreateKey({ kind = ApiKeyKind.PK, onClose }: CreateKeyProps) {
  const isDirectory = kind === ApiKeyKind.MK
  return (
    <ResourceForm
      declaration={keyForm}
      only={['name', 'kind', 'teamId', 'lifetimeSeconds', 'permissions']}
      given={{ kind: String(kind), lifetimeSeconds: String((isDirectory ? 365 : 90) * DAY_SECONDS) }}
      note={
        isDirectory && (
          <p>When it ends, what the provider writes is refused and people stay as they are: rotate it before.</p>
        )
      }
      onClose={onClose}
      onDone={onClose}
    />
  )
}
