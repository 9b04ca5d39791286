import { callBeside } from './beside.js'
import { http1Floods } from './connection-flood/http1.js'
import { http2Floods } from './connection-flood/http2.js'
import { sendFlood } from './connection-flood/send.js'
import { allOf, atMost, type Finding, type Trial } from './trial.js'

const MIB = 1024 * 1024
const MEMORY_MIB = 400
const P99_MILLIS = 250

/** Clients that send what HTTP/1.1 and HTTP/2 allow, or nearly allow, without end: headers, frames, resets. */
export const connectionFlood: Trial = {
  name: 'connection-flood',
  onEachDatabase: false,
  amount: { of: 'milliseconds of each kind', full: 3_000, short: 100 },
  run: async (stage, millis) => {
    const service = await stage.serve()
    const findings: Finding[] = []
    for (const kinds of [http1Floods, http2Floods]) {
      const version = kinds[0]?.version ?? ''
      let serverErrors = 0
      const { calls, failed, p99Millis } = await callBeside(`floods of ${version}`, service, stage, async () => {
        for (const kind of kinds) {
          const outcome = await sendFlood(kind, service.port, millis)
          console.log(`  ${kind.name}: ${outcome.connections} connections, ${outcome.sentBytes} bytes`)
          serverErrors += outcome.serverErrors
        }
      })
      findings.push(
        atMost(`${kinds.length} floods of ${version}: answers of 5xx`, serverErrors, 0, ''),
        allOf(`${version}: calls beside them that are answered 200`, calls - failed, calls),
        atMost(`${version}: p99 of these calls`, p99Millis, P99_MILLIS, 'ms'),
      )
    }
    return [...findings, atMost('the most memory of the service', service.peakMemory() / MIB, MEMORY_MIB, 'MiB')]
  },
}
