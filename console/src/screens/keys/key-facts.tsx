import { type ApiKey, ApiKeyStatus } from '../../../../gen/svc/v2/api_key_pb.js'
import { PersonLink } from '../../api/things.js'
import { Badge } from '../../ui/button.js'
import { Line } from '../../ui/line.js'
import { agoText } from '../../ui/when.js'

/** Who created a key, and whether they have left. */
export function KeyMaker({ apiKey }: { readonly apiKey: ApiKey }) {
  const { createdBy, createdByUserId, isCreatorDeactivated } = apiKey
  if (createdByUserId === '') return <>{createdBy || '–'}</>
  return (
    <>
      <PersonLink id={createdByUserId} /> {isCreatorDeactivated && <Badge tone="warn">Deactivated</Badge>}
    </>
  )
}

/** Whether a key works whose creator is deactivated: nobody may know of it. */
export function isLeftBehind({ status, isCreatorDeactivated }: ApiKey): boolean {
  return status === ApiKeyStatus.ACTIVE && isCreatorDeactivated
}

const UNUSED_MILLIS = 30 * 86_400_000

/** Whether a key that works has not been used for 30 days, or never since it was created that long ago. */
export function isUnused(key: ApiKey, now: number): boolean {
  const last = key.lastUsedAt ?? key.createdAt
  return key.status === ApiKeyStatus.ACTIVE && now - Date.parse(last) > UNUSED_MILLIS
}

/** Ages of keys in days, as they are told apart. */
export const keyAges = [
  { value: 'month', text: 'Up to 30 days', tone: 'main', from: 0, to: 30 },
  { value: 'year', text: 'Up to a year', tone: 'mid', from: 30, to: 365 },
  { value: 'old', text: 'Older', tone: 'warn', from: 365, to: Number.POSITIVE_INFINITY },
] as const

/** Whether a key was created so long ago. */
export function isOfAge({ createdAt }: ApiKey, { from, to }: (typeof keyAges)[number], now: number): boolean {
  const days = (now - Date.parse(createdAt)) / 86_400_000
  return days >= from && days < to
}

/** The life of a key on a line: from when it was created to its end, filled until now, with a point at its last use. */
export function Lifeline({ apiKey }: { readonly apiKey: ApiKey }) {
  const { createdAt, lastUsedAt, expiresAt, revokedAt } = apiKey
  const [start, now] = [Date.parse(createdAt), Date.now()]
  const end = revokedAt ?? expiresAt
  // One without an end fades: it is a third through, whatever its age.
  const length = Math.max(1, end === undefined ? (now - start) * 3 : Date.parse(end) - start)
  const placeOf = (moment: number) => (moment - start) / length
  const verb = revokedAt ? 'revoked' : apiKey.status === ApiKeyStatus.EXPIRED ? 'ended' : 'ends'
  const endText = end === undefined ? 'does not end' : `${verb} ${agoText(end)}`
  return (
    <Line
      label={`Created ${agoText(createdAt)}, ${lastUsedAt ? `last used ${agoText(lastUsedAt)}` : 'never used'}, ${endText}`}
      filled={placeOf(now)}
      mark={lastUsedAt === undefined ? undefined : placeOf(Date.parse(lastUsedAt))}
      end={end}
    />
  )
}
