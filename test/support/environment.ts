import { createRequire } from 'node:module'
import { setTimeout as delay } from 'node:timers/promises'
import vm from 'node:vm'
import { TestEnvironment } from 'jest-environment-node'
import { turnOfFile } from './turn-of-file.js'

/** How long what a file has closed may take to disappear. */
const GRACE_MILLIS = 2_000

/** Classes that are the same for a test and for the program, which Node loads outside of the test's globals. */
const sharedClasses = {
  AggregateError,
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  DataView,
  Date,
  Map,
  Set,
  WeakMap,
  WeakRef,
  WeakSet,
}

/**
 * Jest's environment, with globals that V8 reads like the program's own: in an ordinary context they are looked up
 * through a handler, which takes two and a half times as long. A file that leaves something open fails, naming its
 * kind.
 *
 * A file that measures times runs alone, if it says so in its first comment: `@jest-environment-options {"alone":true}`.
 */
export default class StrictEnvironment extends TestEnvironment {
  readonly #before = activeResources()
  readonly #isAlone: boolean
  #endTurn: (() => Promise<void>) | undefined

  constructor(...args: ConstructorParameters<typeof TestEnvironment>) {
    const { createContext } = vm
    // The constructor makes the context and has no setting for it.
    Object.assign(vm, { createContext: () => createContext(vm.constants.DONT_CONTEXTIFY) })
    try {
      super(...args)
    } finally {
      Object.assign(vm, { createContext })
    }
    this.#isAlone = args[0].projectConfig.testEnvironmentOptions['alone'] === true
    Object.assign(this.global, sharedClasses, { loadedByNode: createRequire(import.meta.url) })
  }

  override async setup(): Promise<void> {
    this.#endTurn = await turnOfFile(this.#isAlone)
    await super.setup()
  }

  override async teardown(): Promise<void> {
    await this.#endTurn?.()
    const end = performance.now() + GRACE_MILLIS
    let left = this.#left()
    while (left.length > 0 && performance.now() < end) {
      await delay(10, undefined, { ref: false })
      left = this.#left()
    }
    await super.teardown()
    if (left.length > 0) throw new Error(`the tests of this file have left open: ${left.join(', ')}`)
  }

  /** The kinds of resources that keep the process alive and did not before the file. */
  #left(): string[] {
    const before = [...this.#before]
    return activeResources().filter((kind) => {
      const index = before.indexOf(kind)
      if (index >= 0) before.splice(index, 1)
      return index < 0
    })
  }
}

/** The kinds of open resources, always with the standard streams, which are opened when they are first asked for. */
function activeResources(): string[] {
  for (const stream of ['stdin', 'stdout', 'stderr'] as const) Reflect.get(process, stream)
  return process.getActiveResourcesInfo()
}
