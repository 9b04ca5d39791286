const isCluster = process.env.TEST_ON === 'citus'

/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts', ...(isCluster ? ['<rootDir>/test/citus/*.citus.ts'] : [])],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: '<rootDir>/dist/test/test/support/global-setup.js',
  globalTeardown: '<rootDir>/dist/test/test/support/global-teardown.js',
  testEnvironment: '<rootDir>/dist/test/test/support/environment.js',

  // Modules as Node runs them; an import of a .js file of this repository means the .ts file that it is made from.
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)(?<!\\.json)\\.js$': '$1' },
  moduleFileExtensions: ['js', 'ts', 'mjs', 'cjs', 'json', 'node'],
  transform: {
    '\\.ts$': ['@swc/jest', { sourceMaps: true, jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }],
  },

  // On a cluster, every statement goes through a coordinator and workers, all of them on this machine as a rule.
  testTimeout: isCluster ? 180_000 : 60_000,
  maxWorkers: 2,
  // A file that leaves something open has failed; the run ends nevertheless.
  forceExit: true,
  // The modules of a file stay in memory after it.
  workerIdleMemoryLimit: '1GB',
}
