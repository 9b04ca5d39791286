import type { NodeRequest, NodeResponse } from '../call/node-http.js'
import { endResponse } from '../call/respond.js'
import { answerOtherMethod } from './page.js'
import type { Door } from './request-handler.js'

/** Why calls cannot be answered now: a few words for each cause; empty if they can. */
export type NotReady = Readonly<Record<string, string>>

/** What the probes need. */
export interface ProbesOptions {
  /** Never rejects. */
  readonly notReady: () => Promise<NotReady>
  /** What the response tells that is ready. */
  readonly build: Readonly<Record<'version' | 'commit', string>>
}

/**
 * Answers `/healthz` (200 as long as the process answers) and `/readyz` (200 with the build, or 503 with the reasons) for balancers and
 * supervisors, to anyone. False: the path is none of them.
 */
export function createProbes({ notReady, build }: ProbesOptions): Door {
  const alive = async () => ({ status: 'ok' })
  const ready = async () => {
    const reasons = await notReady()
    return Object.keys(reasons).length === 0 ? { status: 'ok', ...build } : { status: 'unavailable', reasons }
  }
  const probes: Readonly<Record<string, () => Promise<ProbeAnswer>>> = { '/healthz': alive, '/readyz': ready }
  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? ''
    const probe = Object.hasOwn(probes, path) ? probes[path] : undefined
    if (probe === undefined) return false
    if (!answerOtherMethod(request, response)) void probe().then((answer) => send(answer, request, response))
    return true
  }
}

interface ProbeAnswer {
  readonly status: string
}

function send(answer: ProbeAnswer, request: NodeRequest, response: NodeResponse): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  endResponse(request, response, answer.status === 'ok' ? 200 : 503, headers, JSON.stringify(answer))
}
