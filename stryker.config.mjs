import { targetOf } from './test/mutation/targets.mjs'

const name = process.env.MUTATION_TARGET

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: targetOf(name).mutate,
  plugins: ['@stryker-mutator/jest-runner', './test/mutation/jest-in-node.mjs'],
  testRunner: 'jest-in-node',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: { configFile: 'jest.mutation.config.js', enableFindRelatedTests: false },
  coverageAnalysis: 'perTest',
  // What is changed no longer has the types that it had.
  buildCommand: 'tsc -p tsconfig.build.json --noCheck --declaration false',
  disableTypeChecks: false,
  // Stryker would rewrite it with an API that TypeScript 7 does not have.
  tsconfigFile: 'none',
  ignorePatterns: ['dist/*', '!dist/build.json', '!dist/test', 'src/rest/dist', 'client/dist', '.svc'],
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
