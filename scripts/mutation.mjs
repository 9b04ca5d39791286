// Mutates the rules of the named targets, or of all, one change at a time, and counts the changes that tests notice.
import { spawnSync } from 'node:child_process'
import { announceTestRun } from '../dist/test/test/support/current-test-run.js'
import { startTestRun } from '../dist/test/test/support/test-run.js'
import { targetNames, targetOf } from '../test/mutation/targets.mjs'

const names = process.argv.length > 2 ? process.argv.slice(2) : targetNames
for (const name of names) targetOf(name)

const { run, stop } = await startTestRun(process.env.TEST_DATABASE_URL || undefined)
announceTestRun(run)
try {
  for (const name of names) {
    const { status } = spawnSync('stryker', ['run'], {
      env: { ...process.env, MUTATION_TARGET: name },
      stdio: 'inherit',
    })
    if (status !== 0) process.exitCode = 1
  }
} finally {
  await stop()
}
