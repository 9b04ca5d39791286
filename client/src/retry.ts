import type { DescMethod } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'
import { reasonOf } from './error-details.js'
import type { ClientTiming } from './timing.js'

/** How calls are tried again. */
export interface RetryOptions {
  /** Tries of one call, including the first; 1 never retries. Default 4. */
  readonly maxAttempts?: number
  /** The longest wait before the second try; it doubles with every further one. Default 100 ms. */
  readonly initialDelayMillis?: number
  /** The longest wait before any try. A longer `Retry-After` is thrown to the caller. Default 60 s. */
  readonly maxDelayMillis?: number
}

/** Whether a failed call may have been executed, and whether trying it again can help. */
type Verdict = 'final' | 'not_executed' | 'perhaps_executed'

/**
 * Retries failed calls where that is safe: those that the service has refused before doing anything, and lost ones that
 * are idempotent or have an `Idempotency-Key`. Waits as long as `Retry-After` says, plus a random time below a bound
 * that doubles. The deadline of a call covers all its tries.
 */
export function createRetries(
  options: RetryOptions,
  timing: ClientTiming,
  isRepeatable: (method: DescMethod) => boolean = isIdempotent,
): Interceptor {
  const { maxAttempts = 4, initialDelayMillis = 100, maxDelayMillis = 60_000 } = options
  return (next) => async (request) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await next(request)
      } catch (error) {
        const verdict = verdictOn(error)
        const isNamed = request.header.has('idempotency-key')
        const safe =
          verdict === 'not_executed' || (verdict === 'perhaps_executed' && (isNamed || isRepeatable(request.method)))
        if (!safe || attempt >= maxAttempts || request.stream) throw error
        const asked = retryAfterMillis(error)
        if (asked !== undefined && asked > maxDelayMillis) throw error
        const bound = Math.min(maxDelayMillis, initialDelayMillis * 2 ** (attempt - 1))
        await timing.wait((asked ?? 0) + timing.random() * bound, request.signal)
      }
    }
  }
}

function isIdempotent({ idempotency }: DescMethod): boolean {
  return (
    idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS ||
    idempotency === MethodOptions_IdempotencyLevel.IDEMPOTENT
  )
}

function verdictOn(error: unknown): Verdict {
  if (!(error instanceof ConnectError)) return 'final'
  // Nothing was written: the transaction lost against others each time, or the object has another etag, which a retry
  // does not change.
  if (error.code === Code.Aborted) return reasonOf(error) === 'ERROR_REASON_ETAG_MISMATCH' ? 'final' : 'not_executed'
  if (error.code === Code.ResourceExhausted) return retryAfterMillis(error) === undefined ? 'final' : 'not_executed'
  return error.code === Code.Unavailable ? 'perhaps_executed' : 'final'
}

/** The wait that an error asks for, in whole seconds (RFC 9110 section 10.2.3). */
function retryAfterMillis(error: unknown): number | undefined {
  const header = error instanceof ConnectError ? error.metadata.get('retry-after') : null
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) * 1000 : undefined
}
