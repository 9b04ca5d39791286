import { ApiKeyKind, ApiKeyKindSchema, ApiKeyService } from '../../../../gen/svc/v2/api_key_pb.js'
import { useCaller, useOwnTeams } from '../../api/caller-context.js'
import { enumOptions } from '../../api/words.js'
import { ResourceForm } from '../resource/resource-form.js'

const { createApiKey } = ApiKeyService.method
const DAY_SECONDS = 86_400
const [DIRECTORY, WORKER] = [String(ApiKeyKind.MK), String(ApiKeyKind.WK)]
const kinds = enumOptions(ApiKeyKindSchema, '').slice(1)

interface CreateKeyProps {
  /** What it is for at first. */
  readonly kind?: ApiKeyKind
  readonly onClose: () => void
}

/** Creates a key: a form, what it creates, and the secret, once. */
export function CreateKey({ kind = ApiKeyKind.PK, onClose }: CreateKeyProps) {
  const { permissions, teams } = useCaller()
  const isOfTeam = useOwnTeams(createApiKey) !== undefined
  const isDirectory = kind === ApiKeyKind.MK
  const usable = (text: (name: string) => string) => {
    // No key makes keys, that of a team has nothing of the organization, and a worker does not read the audit log.
    const beyond = [text('teamId') && 'users|ingestion', text('kind') === WORKER && 'audit', 'keys'].filter(Boolean)
    const own = teams.find(({ teamId }) => teamId === text('teamId'))?.permissions ?? []
    return [...permissions, ...own].filter((each) => !new RegExp(`^(${beyond.join('|')}):`).test(each))
  }
  const keyForm: Parameters<typeof ResourceForm>[0]['declaration'] = {
    one: 'API key',
    create: createApiKey,
    update: createApiKey,
    hints: {
      name: 'What will use it.',
      kind: `A worker writes as automation${isOfTeam ? '' : '; a directory writes over SCIM'}.`,
      ...(!isOfTeam && { teamId: 'Leave empty for the whole organization.' }),
      lifetimeSeconds: 'Leave empty for no expiry.',
      permissions: 'You can give what you have yourself, as far as such a key can use it.',
    },
    hides: (text) => (text('kind') === DIRECTORY ? ['teamId', 'permissions'] : []),
    options: (text) => ({
      kind: isOfTeam ? kinds.filter(({ value }) => value !== DIRECTORY) : kinds,
      permissions: usable(text).map((value) => ({ value, text: value })),
    }),
    lacks: (text) => {
      if (text('kind') === DIRECTORY) return undefined
      const chosen = text('permissions').split('\n').filter(Boolean)
      const beyond = chosen.find((each) => !usable(text).includes(each))
      if (beyond !== undefined) return `Such a key cannot have ${beyond}.`
      return chosen.length === 0 ? 'Choose at least one permission.' : undefined
    },
  }
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
