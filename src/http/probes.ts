import { pathOf } from '../call/node-http.js'
import { endResponse } from '../call/respond.js'
import { answerOtherMethod } from './page.js'
import type { Protocol } from './request-handler.js'

/** Why calls cannot be answered now: a few words for each cause; empty if they can. */
export type NotReady = Readonly<Record<string, string>>

/**
 * Answers `/healthz` (200 as long as the process answers) and `/readyz` (200 with the build, or 503 with the reasons)
 * for balancers and supervisors, to anyone. False: the path is none of them. `notReady` never rejects.
 */
export function createProbes(
  notReady: () => Promise<NotReady>,
  build: Readonly<Record<'version' | 'commit', string>>,
): Protocol {
  const probe = async (isReadiness: boolean) => {
    if (!isReadiness) return { status: 'ok' }
    const reasons = await notReady()
    return Object.keys(reasons).length === 0 ? { status: 'ok', ...build } : { status: 'unavailable', reasons }
  }
  return (request, response) => {
    const path = pathOf(request)
    if (path !== '/healthz' && path !== '/readyz') return false
    if (answerOtherMethod(request, response)) return true
    void probe(path === '/readyz').then((answer) => {
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
      endResponse(request, response, answer.status === 'ok' ? 200 : 503, headers, JSON.stringify(answer))
    })
    return true
  }
}
