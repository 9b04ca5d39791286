#!/usr/bin/env node
import cluster from 'node:cluster'
import { runProgram } from './cli/program.js'
import { tuneGarbageCollection } from './runtime/garbage-collection.js'

tuneGarbageCollection()

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // A second signal ends the program immediately. Workers get each one twice if a terminal or a supervisor signals
    // the whole group, and end with their primary.
    if (stop.signal.aborted && cluster.isPrimary) process.exit(1)
    stop.abort(signal)
  })
}

const status = await runProgram(process.argv, {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  stopSignal: stop.signal,
  onHangup: (listener) => {
    process.on('SIGHUP', listener)
    return () => process.off('SIGHUP', listener)
  },
})
// Whatever is still under way, such as an export of spans that its collector does not answer, is not waited for; output is.
process.stdout.write('', () => process.stderr.write('', () => process.exit(status)))
