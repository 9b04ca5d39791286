import { mixinJestEnvironment } from '@stryker-mutator/jest-runner'
import StrictEnvironment from '../../dist/test/test/support/environment.js'

/** The change for which a test of this process has failed last. */
let noticed

/** Runs no test of a change that one has noticed: jest's `bail` only leaves out the files that follow. */
class BriefEnvironment extends StrictEnvironment {
  handleTestEvent = (event, state) => {
    if (activeChange() === undefined) return
    if (event.name === 'test_done' && event.test.errors.length > 0) noticed = activeChange()
    const startsOrGoesOn = event.name === 'run_start' || event.name === 'test_done'
    if (startsOrGoesOn && noticed === activeChange()) skipRest(state.rootDescribeBlock)
  }
}

/** The environment of a test file while Stryker changes the program. */
export default class MutationEnvironment extends mixinJestEnvironment(BriefEnvironment) {
  constructor(...args) {
    super(...args)
    // The program reads in Node's globals which change is active, and keeps the object that it has found there first.
    const { __stryker__ } = this.global
    __stryker__.activeMutant = activeChange()
    globalThis.__stryker__ = __stryker__
  }
}

function activeChange() {
  return process.env.__STRYKER_ACTIVE_MUTANT__
}

function skipRest({ children }) {
  for (const child of children) {
    if (child.type === 'describeBlock') skipRest(child)
    else if (child.invocations === 0) child.mode = 'skip'
  }
}
