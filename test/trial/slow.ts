import { callBeside } from './beside.js'
import {
  anonymousTargets,
  ingestion,
  protocols,
  type RequestOptions,
  requestThrough,
  type Target,
} from './protocols.js'
import { type Cut, sendBodiesSlowly, sendBytesSlowly } from './slow-sender.js'
import type { Stage } from './stage.js'
import { allOf, atMost, type Finding, type Trial } from './trial.js'

const SLOW_EACH = 50
/** More than twice those that wait for bodies at a time. */
const RUNNING_CALLS = 512
const BODY = Buffer.alloc(1_000, ' ')
/** How long a client may take for its header, plus the delay until that is noticed. */
const HEADER_MILLIS = 13_000
/** How long a connection of HTTP/2 may go without a whole frame of a call. */
const SESSION_MILLIS = 80_000
/** How long a call may last, and how long the rest of its body is waited for. */
const BODY_MILLIS = 68_000
const DEADLINE_MILLIS = 3_000
/** A call with a deadline of 3 s, as above. */
const DEADLINE_BODY_MILLIS = 11_000
/** The answer at once, and how long the rest of the body is waited for. */
const REFUSED_MILLIS = 8_000
const P99_MILLIS = 100

/** Callers who send a byte of the header or of the body every two seconds, while another caller works normally. */
export const slow: Trial = {
  name: 'slow',
  onEachDatabase: false,
  run: async (stage) => {
    // All callers are of one organization, which may have half of the calls that run.
    const service = await stage.serve({ environment: { MAX_RUNNING_CALLS: String(RUNNING_CALLS) } })
    const findings: Finding[] = []
    const beside = await callBeside('slow callers', service, stage, async () => {
      for (const finding of await Promise.all(slowCallers(stage, service.port))) findings.push(...finding)
    })
    return [
      ...findings,
      atMost('p99 of a good caller beside them', beside.p99Millis, P99_MILLIS, 'ms'),
      allOf('its calls that are answered 200', beside.calls - beside.failed, beside.calls),
    ]
  },
}

function slowCallers({ tokens }: Stage, port: number): Promise<Finding[]>[] {
  const [header, frame] = [Buffer.from('GET / HTTP/1.1\r\nhost: svc\r\nx-slow: '), slowFrame()]
  const each = (begin: Uint8Array, rest: Uint8Array, millis: number) =>
    Array.from({ length: SLOW_EACH }, () => sendBytesSlowly(port, begin, rest, millis + 2_000))
  const bodies = (target: Target, millis: number, options: RequestOptions) =>
    protocols.flatMap((protocol) =>
      protocol.versions.map((version) => {
        const request = requestThrough(protocol, target, BODY, options)
        const requests = Array.from({ length: SLOW_EACH / 2 }, () => request)
        return { name: `${protocol.name}, ${version}`, cuts: sendBodiesSlowly(port, version, requests, millis + 2_000) }
      }),
    )
  const [token = ingestion] = anonymousTargets
  const through = (kind: string, target: Target, millis: number, options: RequestOptions = {}) =>
    bodies(target, millis, options).map(({ name, cuts }) => verify(`${kind}, ${name}`, cuts, millis))
  return [
    verify('nothing is sent', each(Buffer.alloc(0), Buffer.alloc(0), HEADER_MILLIS), HEADER_MILLIS),
    verify('slow headers, HTTP/1.1', each(header, Buffer.from('a'), HEADER_MILLIS), HEADER_MILLIS),
    verify('slow headers, HTTP/2', each(frame, Buffer.from([0]), SESSION_MILLIS), SESSION_MILLIS),
    ...through('slow anonymous bodies', token, BODY_MILLIS),
    ...through('slow bodies that are refused', ingestion, REFUSED_MILLIS),
    ...through('slow bodies, deadline 3 s', ingestion, DEADLINE_BODY_MILLIS, {
      token: tokens.key,
      deadlineMillis: DEADLINE_MILLIS,
    }),
  ]
}

async function verify(name: string, cuts: readonly Cut[], millis: number): Promise<Finding[]> {
  const all = await Promise.all(cuts)
  const cut = all.filter((each) => each <= millis)
  const slowest = Math.max(...all)
  return [
    allOf(
      `${name}: cut within ${millis / 1_000} s, at last after ${(slowest / 1_000).toFixed(1)} s`,
      cut.length,
      all.length,
    ),
  ]
}

/** The preface of HTTP/2, settings, and the head of a frame of headers that is 1,000 bytes long. */
function slowFrame(): Uint8Array {
  const settings = [0, 0, 0, 4, 0, 0, 0, 0, 0]
  const headers = [0, 0x03, 0xe8, 1, 5, 0, 0, 0, 1]
  return Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from([...settings, ...headers])])
}
