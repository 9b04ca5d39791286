import { type ApiKey, ApiKeyKindSchema, ApiKeyStatus, ApiKeyStatusSchema } from '../../../../gen/svc/v2/api_key_pb.js'
import { enumText } from '../../api/words.js'
import { Badge, type Tone } from '../../ui/button.js'

const tones: Readonly<Record<ApiKeyStatus, Tone>> = {
  [ApiKeyStatus.UNSPECIFIED]: 'plain',
  [ApiKeyStatus.ACTIVE]: 'good',
  [ApiKeyStatus.EXPIRED]: 'warn',
  [ApiKeyStatus.REVOKED]: 'bad',
}

/** The state of a key. */
export function KeyStatus({ status }: { readonly status: ApiKeyStatus }) {
  return <Badge tone={tones[status]}>{enumText(ApiKeyStatusSchema, status)}</Badge>
}

const UNUSED_MILLIS = 30 * 86_400_000

/** Whether a key that works has not been used for 30 days, or never since it was created that long ago. */
export function isUnused(key: ApiKey, now: number): boolean {
  const last = key.lastUsedAt ?? key.createdAt
  return key.status === ApiKeyStatus.ACTIVE && now - Date.parse(last) > UNUSED_MILLIS
}

const kinds = ['', 'Programs', 'Workers', 'Directory']

/** What a key is for. */
export function kindText({ kind }: ApiKey): string {
  return `${kinds[kind] ?? ''} (${enumText(ApiKeyKindSchema, kind).toLowerCase()})`
}
