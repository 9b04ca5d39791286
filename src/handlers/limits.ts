import { type DescService, getOption } from '@bufbuild/protobuf'
import type { Interceptor } from '@connectrpc/connect'
import { access } from '../../gen/svc/v2/access_pb.js'
import { type LimitCheck, refuseLimits } from '../limits/limit-check.js'

/**
 * Refuses requests that break limits of the schema, over every door: after the caller is admitted and the request is
 * read, and before anything is looked up. Methods that check their resource first check the limits themselves.
 */
export function createLimits(check: LimitCheck, services: Iterable<DescService>): Interceptor {
  // Reading an option decodes it anew, in about 8 us: not in every call.
  const judgedLater = new Set(
    [...services].flatMap(({ methods }) => methods.filter((method) => getOption(method, access).resourceBeforeLimits)),
  )
  return (next) => (request) => {
    if (!request.stream && !judgedLater.has(request.method)) {
      refuseLimits(check(request.method.input, request.message))
    }
    return next(request)
  }
}
