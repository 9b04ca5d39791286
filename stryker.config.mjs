import { targetOf } from './test/mutation/targets.mjs'

const name = process.env.MUTATION_TARGET
const { mutate, tests } = targetOf(name)

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate,
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: {
    configFile: 'jest.config.js',
    config: {
      testMatch: tests.map((path) => `<rootDir>/${path}`),
      testPathIgnorePatterns: [],
      testEnvironment: '@stryker-mutator/jest-runner/jest-env/node',
      // Each change of a rule needs modules of its own.
      testRunner: 'jest-circus/runner',
      // The databases are prepared once for all runs, by scripts/mutation.mjs.
      globalSetup: null,
      globalTeardown: null,
    },
    enableFindRelatedTests: false,
  },
  coverageAnalysis: 'perTest',
  disableTypeChecks: false,
  // Stryker would rewrite it with an API that TypeScript 7 does not have.
  tsconfigFile: 'none',
  ignorePatterns: ['dist/*', '!dist/console', 'src/rest/dist', 'client/dist', '.svc'],
  tempDirName: 'dist/mutation',
  concurrency: 2,
  // A busy machine must not be taken for tests that do not end.
  timeoutMS: 20_000,
  incremental: true,
  incrementalFile: `dist/mutation/${name}.json`,
  reporters: ['clear-text', 'html'],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  htmlReporter: { fileName: `dist/mutation/${name}.html` },
  thresholds: { high: 95, low: 90, break: 90 },
}
