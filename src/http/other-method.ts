import { addReason } from '../interceptors/error-reason.js'
import { connectErrorJson } from '../rest/error-body.js'
import { methodNotAllowed } from '../rest/http-failure.js'
import { endResponse } from '../rest/respond.js'
import type { HttpRequest, HttpResponse } from '../rpc/http-message.js'

/** Answers a request whose path is known and whose method is not one of `allowed`: OPTIONS with 204, others with 405. */
export function answerOtherMethod(request: HttpRequest, response: HttpResponse, allowed: readonly string[]): void {
  const allow = allowed.join(', ')
  if (request.method === 'OPTIONS') {
    endResponse(request, response, 204, { allow }, '')
    return
  }
  const { error, status, headers } = methodNotAllowed(request.method ?? '', allowed)
  addReason(error, status)
  const body = JSON.stringify(connectErrorJson(error, {}))
  endResponse(request, response, status, { ...headers, 'content-type': 'application/json' }, body)
}
