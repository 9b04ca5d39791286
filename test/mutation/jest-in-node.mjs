import { strykerPlugins as jestPlugins } from '@stryker-mutator/jest-runner'

const [jest] = jestPlugins

/** Stryker's runner for jest, in a new process where a change has its effect when the program is loaded. */
function createRunner(injector) {
  const runner = jest.factory(injector)
  // It would load all modules anew with each run, but the program is loaded by Node, once for a process.
  runner.capabilities = () => ({ reloadEnvironment: false })
  return runner
}
createRunner.inject = jest.factory.inject

export const strykerPlugins = [{ ...jest, name: 'jest-in-node', factory: createRunner }]
