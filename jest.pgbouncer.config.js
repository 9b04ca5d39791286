import { leftOut } from './dist/test/test/pgbouncer/left-out.js'
import base from './jest.config.js'

// The tests through a PgBouncer in transaction mode, which the run starts.
/** @type {import('jest').Config} */
export default {
  ...base,
  testPathIgnorePatterns: [
    '/node_modules/',
    ...leftOut.filter(({ test }) => test === undefined).map(({ file }) => `<rootDir>/${file}$`),
  ],
  globalSetup: '<rootDir>/dist/test/test/pgbouncer/global-setup.js',
  testEnvironment: '<rootDir>/dist/test/test/support/partial-environment.js',
  testEnvironmentOptions: { leftOut },
}
