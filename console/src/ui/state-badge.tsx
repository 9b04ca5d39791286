import type { DescEnum } from '@bufbuild/protobuf'
import { enumText } from '../api/words.js'
import { Badge, type Tone } from './button.js'

/** What states mean for the reader; one that is not here means nothing in particular. */
const tones: Readonly<Record<string, Tone>> = {
  API_KEY_STATUS_ACTIVE: 'good',
  API_KEY_STATUS_EXPIRED: 'warn',
  API_KEY_STATUS_REVOKED: 'bad',
  FIELD_OWNER_PINNED: 'accent',
  FIELD_OWNER_DIRECTORY: 'warn',
  FIELD_WRITE_OUTCOME_SKIPPED_PINNED: 'warn',
  FIELD_WRITE_OUTCOME_SKIPPED_DIRECTORY_LOCKED: 'warn',
  FIELD_WRITE_OUTCOME_PINNED: 'accent',
  FIELD_WRITE_OUTCOME_RELEASED: 'accent',
  JOURNEY_HEALTH_CHECK_STATUS_FAILING: 'bad',
  JOURNEY_HEALTH_CHECK_STATUS_WARNING: 'warn',
  JOURNEY_HEALTH_CHECK_STATUS_PASSING: 'good',
  USER_UPDATE_OUTCOME_UPDATED: 'good',
  USER_UPDATE_OUTCOME_REFUSED: 'bad',
  WEBHOOK_DELIVERY_STATUS_SUCCEEDED: 'good',
  WEBHOOK_DELIVERY_STATUS_PENDING: 'warn',
  WEBHOOK_DELIVERY_STATUS_FAILED: 'bad',
  WEBHOOK_ENDPOINT_STATUS_ENABLED: 'good',
  WEBHOOK_ENDPOINT_STATUS_DISABLED: 'warn',
  WORKFLOW_RUN_STATUS_FAILED: 'bad',
  WORKFLOW_RUN_STATUS_DENIED: 'bad',
}

/** The state of something, as a value of an enum says it. */
export function StateBadge({ schema, value }: { readonly schema: DescEnum; readonly value: number }) {
  return <Badge tone={tones[schema.value[value]?.name ?? ''] ?? 'plain'}>{enumText(schema, value)}</Badge>
}
