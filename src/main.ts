#!/usr/bin/env node
import { runProgram } from './cli/program.js'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stop.abort()
    // A second signal ends the program at once.
    process.once(signal, () => process.exit(1))
  })
}

process.exitCode = await runProgram(process.argv, {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  stopSignal: stop.signal,
})
