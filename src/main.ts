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
// Waits until the output is written, but not for other work, such as an export of spans that its collector does not
// answer.
process.stdout.write('', () => process.stderr.write('', () => process.exit(status)))
