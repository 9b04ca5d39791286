#!/usr/bin/env node
// The `svc` program. In a checkout, it is built first if its sources have changed; a package without sources runs as is.
import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { requireFreePort } from './free-port.mjs'

// A worker of `serve` runs this file again, when all of it is done.
if (cluster.isPrimary) {
  try {
    const [command, ...args] = process.argv.slice(2)
    if (command === 'serve') await requireFreePort(args, process.env)
    if (existsSync(new URL('../src', import.meta.url))) {
      const { buildWhatChanged } = await import('../scripts/build-what-changed.mjs')
      await buildWhatChanged()
    }
  } catch (error) {
    process.stderr.write(`svc: ${error.message}\n`)
    process.exit(1)
  }
}
await import('../dist/svc/main.js')
