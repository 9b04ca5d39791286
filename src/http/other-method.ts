import { connectErrorJson } from '../call/error-body.js'
import { methodNotAllowed } from '../call/http-failure.js'
import type { NodeRequest, NodeResponse } from '../call/node-http.js'
import { endResponse } from '../call/respond.js'
import { addReason } from '../failure/error-reason.js'

/** Answers a request whose path is known and whose method is not one of `allowed`: OPTIONS with 204, others with 405. */
export function answerOtherMethod(request: NodeRequest, response: NodeResponse, allowed: readonly string[]): void {
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
