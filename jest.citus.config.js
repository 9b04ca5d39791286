import { leftOut } from './dist/test/test/citus/left-out.js'
import base from './jest.config.js'

// The tests on a cluster, and those that only a cluster can hold.
/** @type {import('jest').Config} */
export default {
  ...base,
  testMatch: [base.testMatch ?? [], '<rootDir>/test/citus/*.citus.ts'].flat(),
  testPathIgnorePatterns: [
    '/node_modules/',
    ...leftOut.filter(({ test }) => test === undefined).map(({ file }) => `<rootDir>/${file}$`),
  ],
  testEnvironment: '<rootDir>/dist/test/test/support/partial-environment.js',
  testEnvironmentOptions: { leftOut },
  // Every statement goes through a coordinator and workers, all of them on this machine as a rule.
  testTimeout: 180_000,
}
