import type { DescEnum } from '@bufbuild/protobuf'
import { enumText } from '../api/words.js'
import { Badge, type Tone } from './button.js'

/** What the last words of states mean for the reader; one that is not here means nothing in particular. */
const tones: readonly (readonly [RegExp, Tone])[] = [
  [/_(?:ACTIVE|ENABLED|PASSING|SUCCEEDED|UPDATED)$/, 'good'],
  [/_(?:DIRECTORY|DISABLED|EXPIRED|PENDING|SKIPPED_PINNED|SKIPPED_DIRECTORY_LOCKED|WARNING)$/, 'warn'],
  [/_(?:DENIED|FAILED|FAILING|REFUSED|REVOKED)$/, 'bad'],
  [/_(?:PINNED|RELEASED)$/, 'accent'],
]

/** The state of something, as a value of an enum says it. */
export function StateBadge({ schema, value }: { readonly schema: DescEnum; readonly value: number }) {
  const [, tone] = tones.find(([words]) => words.test(schema.value[value]?.name ?? '')) ?? []
  return <Badge tone={tone ?? 'plain'}>{enumText(schema, value)}</Badge>
}
