import { relative } from 'node:path'
import StrictEnvironment from './environment.js'

/** A test that means nothing where the tests are run. */
export interface LeftOut {
  readonly file: string
  /** Its whole name, or how it begins; absent where all of the file is meant. */
  readonly test?: string
  readonly reason: string
}

interface Block {
  readonly name: string
  readonly parent?: Block
}

/** What jest tells of a test, as far as it is needed here. */
interface TestEvent {
  readonly name: string
  readonly test?: Block & { mode?: unknown }
}

/** An environment that skips the tests in `leftOut` of its options. */
export default class PartialEnvironment extends StrictEnvironment {
  readonly #names: readonly string[]

  constructor(...args: ConstructorParameters<typeof StrictEnvironment>) {
    super(...args)
    const [{ projectConfig }, { testPath }] = args
    const file = relative(projectConfig.rootDir, testPath)
    const leftOut: readonly LeftOut[] = Object(projectConfig.testEnvironmentOptions).leftOut
    this.#names = leftOut.flatMap((each) => (each.file === file && each.test !== undefined ? each.test : []))
  }

  handleTestEvent({ name, test }: TestEvent): void {
    if (name !== 'test_start' || test === undefined) return
    const full = fullName(test)
    if (this.#names.some((each) => full.startsWith(each))) test.mode = 'skip'
  }
}

/** The name of a test behind those of what it stands in; jest's own outermost one has none. */
function fullName({ name, parent }: Block): string {
  return parent?.parent === undefined ? name : `${fullName(parent)} ${name}`
}
