import type { NodeRequest, NodeResponse } from '../call/node-http.js'
import { endResponse } from '../call/respond.js'
import { answerOtherMethod } from './page.js'

/** Why calls cannot be answered now: a few words for each cause; empty if they can. */
export type NotReady = Readonly<Record<string, string>>

/** What the probes need. */
export interface ProbesOptions {
  /** Never rejects. */
  readonly notReady: () => Promise<NotReady>
  /** What the response tells that is ready. */
  readonly build: Readonly<Record<'version' | 'commit', string>>
}

const ALLOWED = ['GET', 'HEAD', 'OPTIONS']

/**
 * Answers `/healthz` (200 as long as the process answers) and `/readyz` (200 with the build, or 503 with the reasons) for balancers and
 * supervisors, to anyone. False: the path is none of them.
 */
export function createProbes({
  notReady,
  build,
}: ProbesOptions): (request: NodeRequest, response: NodeResponse) => boolean {
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
    if (request.method === 'GET' || request.method === 'HEAD') {
      void probe().then((answer) => send(answer, request, response))
    } else {
      answerOtherMethod(request, response, ALLOWED)
    }
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
