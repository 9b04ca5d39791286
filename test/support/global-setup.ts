import type { TestProject } from 'vitest/node'
import { startTestRun, type TestRun } from './test-run.js'

declare module 'vitest' {
  interface ProvidedContext {
    testRun: TestRun
  }
}

/** Prepares the databases before the first test file, and removes them after the last one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { run, stop } = await startTestRun(process.env['TEST_DATABASE_URL'] || undefined)
  project.provide('testRun', run)
  return stop
}
