import { join } from 'node:path'
import everything from './jest.config.js'
import { targetOf } from './test/mutation/targets.mjs'

const { globalSetup: _setup, globalTeardown: _teardown, ...rest } = everything

/**
 * The tests of one target. The databases are prepared once for all runs, by scripts/mutation.mjs.
 *
 * @type {import('jest').Config}
 */
export default {
  ...rest,
  testMatch: targetOf(process.env.MUTATION_TARGET).tests.map((path) => `<rootDir>/${path}`),
  testEnvironment: join(import.meta.dirname, 'test/mutation/environment.mjs'),
}
