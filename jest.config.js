/** A pattern of this folder. */
const root = import.meta.dirname.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: '<rootDir>/dist/test/test/support/global-setup.js',
  globalTeardown: '<rootDir>/dist/test/test/support/global-teardown.js',
  testEnvironment: '<rootDir>/dist/test/test/support/environment.js',
  testSequencer: '<rootDir>/test/support/longest-first.mjs',

  // Modules as Node runs them; an import of a .js file of this repository means the .ts file that it is made from.
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)(?<!\\.json)\\.js$': '$1' },
  moduleFileExtensions: ['js', 'ts', 'mjs', 'cjs', 'json', 'node'],
  // The program, as it is built, and the packages are loaded by Node, once for all files of a process.
  transform: {
    [`^${root}/(src|gen)/.*\\.ts$`]: '<rootDir>/test/support/loaded-by-node.mjs',
    '/node_modules/.*\\.[cm]?js$': '<rootDir>/test/support/loaded-by-node.mjs',
    '\\.ts$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }],
  },
  // It takes as settings only objects made with the globals that it has itself.
  transformIgnorePatterns: ['/node_modules/oidc-provider/'],

  testTimeout: 60_000,
  maxWorkers: 2,
  // The modules of a file stay in memory after it.
  workerIdleMemoryLimit: '1GB',
}
