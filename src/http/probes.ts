import { endResponse } from '../call/respond.js'
import type { HttpRequest, HttpResponse } from '../rpc/http-message.js'
import { answerOtherMethod } from './other-method.js'

/** Why calls cannot be answered now: a few words for each cause; empty if they can. */
export type NotReady = Readonly<Record<string, string>>

/** What the probes need. */
export interface ProbesOptions {
  /** Never rejects. */
  readonly notReady: () => Promise<NotReady>
}

const ALLOWED = ['GET', 'HEAD', 'OPTIONS']

/**
 * Answers `/healthz` (200 as long as the process answers) and `/readyz` (200, or 503 with the reasons) for balancers and
 * supervisors, to anyone. False: the path is none of them.
 */
export function createProbes({ notReady }: ProbesOptions): (request: HttpRequest, response: HttpResponse) => boolean {
  const probes: Readonly<Record<string, () => Promise<NotReady>>> = {
    '/healthz': async () => ({}),
    '/readyz': notReady,
  }
  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? ''
    const probe = Object.hasOwn(probes, path) ? probes[path] : undefined
    if (probe === undefined) return false
    if (request.method === 'GET' || request.method === 'HEAD') {
      void probe().then((reasons) => send(reasons, request, response))
    } else {
      answerOtherMethod(request, response, ALLOWED)
    }
    return true
  }
}

function send(reasons: NotReady, request: HttpRequest, response: HttpResponse): void {
  const isReady = Object.keys(reasons).length === 0
  const body = JSON.stringify(isReady ? { status: 'ok' } : { status: 'unavailable', reasons })
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  endResponse(request, response, isReady ? 200 : 503, headers, body)
}
