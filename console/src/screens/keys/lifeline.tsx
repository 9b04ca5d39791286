import type { ApiKey } from '../../../../gen/svc/v2/api_key_pb.js'
import { agoText } from '../../ui/when.js'
import styles from './keys.module.css'

const WIDTH = 100
const SOON_MILLIS = 30 * 86_400_000

/** The life of a key on a line: from when it was created to its end, filled until now, with a point at its last use. */
export function Lifeline({ apiKey }: { readonly apiKey: ApiKey }) {
  const { createdAt, lastUsedAt, expiresAt, revokedAt } = apiKey
  const [start, now] = [Date.parse(createdAt), Date.now()]
  const end = revokedAt ?? expiresAt
  // One without an end fades: it is a third through, whatever its age.
  const length = Math.max(1, end === undefined ? (now - start) * 3 : Date.parse(end) - start)
  const placeOf = (moment: number) => Math.min(1, Math.max(0, (moment - start) / length)) * WIDTH
  const isEnding = end !== undefined && Date.parse(end) - now < SOON_MILLIS
  const endText = end === undefined ? 'does not end' : `${revokedAt ? 'revoked' : 'ends'} ${agoText(end)}`
  return (
    <svg
      className={styles['life']}
      viewBox={`0 0 ${WIDTH} 8`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Created ${agoText(createdAt)}, ${lastUsedAt ? `last used ${agoText(lastUsedAt)}` : 'never used'}, ${endText}`}
      data-ending={isEnding}
      data-endless={end === undefined}
    >
      <line x1="0" x2={WIDTH} y1="4" y2="4" />
      <line x1="0" x2={placeOf(now)} y1="4" y2="4" />
      {lastUsedAt && <line x1={placeOf(Date.parse(lastUsedAt))} x2={placeOf(Date.parse(lastUsedAt))} y1="0" y2="8" />}
    </svg>
  )
}
