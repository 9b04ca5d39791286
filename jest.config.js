import { readFileSync } from 'node:fs'
import { buildArgv } from 'jest'

const isCluster = process.env.TEST_ON === 'citus'
const tests = ['<rootDir>/test/**/*.test.ts', ...(isCluster ? ['<rootDir>/test/citus/*.citus.ts'] : [])]

/** Which tests run, if none are named: `default`, `slow` or `all`. `scripts/test.mjs` says which tools are missing. */
const { TESTS: set = 'default', MISSING_TOOLS: missing = '' } = process.env
const isNamed = (await buildArgv())._.length > 0
const slow = Object.entries(JSON.parse(readFileSync(new URL('test/slow-tests.json', import.meta.url), 'utf8')))
const leftOut = slow.filter(([, { needs }]) => needs?.some((tool) => missing.split(' ').includes(tool)))
const prefixes = (entries) => entries.map(([path]) => `<rootDir>/${path.replaceAll('.', '\\.')}`)
const globs = (entries) => entries.map(([path]) => `<rootDir>/${path.endsWith('/') ? `${path}**/*.test.ts` : path}`)

/** @type {import('jest').Config} */
export default {
  testMatch: set === 'slow' ? globs(slow) : tests,
  testPathIgnorePatterns: isNamed ? [] : prefixes(set === 'default' ? slow : leftOut),
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: '<rootDir>/dist/test/test/support/global-setup.js',
  globalTeardown: '<rootDir>/dist/test/test/support/global-teardown.js',
  testEnvironment: '<rootDir>/dist/test/test/runner/environment.js',
  testRunner: '<rootDir>/dist/test/test/runner/run-file.js',
  testSequencer: '<rootDir>/dist/test/test/runner/sequencer.js',
  reporters: ['default', '<rootDir>/dist/test/test/runner/reporter.js'],

  // For `npm run mutation`, which loads modules anew for each file; else test/runner/modules.ts does the same for Node.
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)(?<!\\.json)\\.js$': '$1' },
  moduleFileExtensions: ['js', 'ts', 'mjs', 'cjs', 'json', 'node'],
  transform: {
    '\\.ts$': ['@swc/jest', { sourceMaps: true, jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }],
  },

  // The end of a test that hangs, far beyond what any takes on a slow machine or a cluster.
  testTimeout: 300_000,
  // One more than the cores of a small machine: what many files do most is wait, for programs and for the database.
  maxWorkers: 3,
  // What a file keeps in its variables stays in memory after it.
  workerIdleMemoryLimit: '1GB',
}
