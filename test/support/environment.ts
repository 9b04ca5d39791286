import { relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { TestEnvironment } from 'jest-environment-node'
import { leftOut } from './left-out.js'

/** How long resources that a file has closed may take to disappear. */
const GRACE_MILLIS = 2_000

const errorClasses = ['AggregateError', 'Error', 'RangeError', 'SyntaxError', 'TypeError'] as const

interface Block {
  readonly type: 'describeBlock'
  readonly name: string
  readonly children: readonly (Block | Test)[]
}

interface Test {
  readonly type: 'test'
  readonly name: string
  mode?: unknown
}

/**
 * Jest's environment of a test file. A file that leaves something open fails, naming its kind. Tests that are left out
 * where the tests run, as `TEST_ON` says, are skipped.
 */
export default class StrictEnvironment extends TestEnvironment {
  readonly #before = activeResources()
  readonly #isLeftOut: (name: string) => boolean

  constructor(...args: ConstructorParameters<typeof TestEnvironment>) {
    super(...args)
    const [{ projectConfig }, { testPath }] = args
    const file = relative(projectConfig.rootDir, testPath)
    const ofFile = (leftOut[process.env['TEST_ON'] ?? ''] ?? []).filter((each) => each.file === file)
    this.#isLeftOut = (name) => ofFile.some(({ test = '' }) => name.startsWith(test))
    for (const name of errorClasses) acceptFromNode(this.global[name], globalThis[name])
  }

  handleTestEvent({ name }: { name: string }, { rootDescribeBlock }: { rootDescribeBlock: Block }): void {
    if (name === 'run_start') skip(rootDescribeBlock.children, this.#isLeftOut)
  }

  override async teardown(): Promise<void> {
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

/** The kinds of open resources, always with the standard streams, which are opened on first use. */
function activeResources(): string[] {
  for (const stream of ['stdin', 'stdout', 'stderr'] as const) Reflect.get(process, stream)
  return process.getActiveResourcesInfo()
}

/** Skips tests by their names, which stand behind those of the blocks that they are in. */
function skip(children: readonly (Block | Test)[], isLeftOut: (name: string) => boolean, prefix = ''): void {
  for (const child of children) {
    const name = `${prefix}${child.name}`
    if (child.type === 'describeBlock') skip(child.children, isLeftOut, `${name} `)
    else if (isLeftOut(name)) child.mode = 'skip'
  }
}

/** Lets `instanceof` recognize errors of Node's own modules, which are created outside a file's globals. */
function acceptFromNode(own: object, nodes: new (...args: never[]) => Error): void {
  Object.defineProperty(own, Symbol.hasInstance, {
    value(this: unknown, value: unknown) {
      return Function.prototype[Symbol.hasInstance].call(this, value) || (this === own && value instanceof nodes)
    },
  })
}
