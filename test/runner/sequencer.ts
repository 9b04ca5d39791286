import { createRequire } from 'node:module'
import type { Test } from '@jest/test-result'
import { slowList } from './slow-files.js'

// Its types are those of the module that `require` gives.
const sequencer: typeof import('@jest/test-sequencer') = createRequire(import.meta.url)('@jest/test-sequencer')

/** Runs the files of the slow list first, so that at the end of a run short ones keep all workers busy. */
export default class SlowFirst extends sequencer.default {
  override async sort(tests: Test[]): Promise<Test[]> {
    const sorted = await super.sort(tests)
    const isListed = slowList(tests[0]?.context.config.rootDir ?? '')
    const isSlow = ({ path }: Test) => isListed(path)
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))]
  }
}
