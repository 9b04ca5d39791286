import { ConnectError } from '@connectrpc/connect'
import { databaseFailure } from '../db/errors.js'

/** What the failure of a statement means, in one word; `canceled` if its call was over first. */
export function failureKind(failure: unknown): string {
  return failure instanceof ConnectError ? 'canceled' : (databaseFailure(failure)?.kind ?? 'other')
}
