import { relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { EnvironmentContext, JestEnvironmentConfig } from '@jest/environment'
import type { Circus } from '@jest/types'
import { ModuleMocker } from 'jest-mock'
import { leftOut } from '../support/left-out.js'

/** How long resources that a file has closed may take to disappear. */
const GRACE_MILLIS = 2_000

/**
 * Jest's environment of a test file: the process itself. A file that leaves something open, or the environment of the
 * process changed, fails, naming it. Tests that are left out where the tests run, as `TEST_ON` says, are skipped.
 */
export default class StrictEnvironment {
  readonly global = globalThis
  readonly fakeTimers = null
  readonly fakeTimersModern = null
  readonly moduleMocker = new ModuleMocker(globalThis)
  readonly #before = activeResources()
  readonly #variables = { ...process.env }
  /** What Jest replaces for each file. */
  readonly #console = console
  readonly #exit = process.exit
  readonly #isLeftOut: (name: string) => boolean
  #hasFailed = false

  constructor({ projectConfig }: JestEnvironmentConfig, { testPath }: EnvironmentContext) {
    const file = relative(projectConfig.rootDir, testPath)
    const ofFile = (leftOut[process.env['TEST_ON'] ?? ''] ?? []).filter((each) => each.file === file)
    this.#isLeftOut = (name) => ofFile.some(({ test = '' }) => name.startsWith(test))
  }

  getVmContext(): null {
    return null
  }

  async setup(): Promise<void> {}

  handleTestEvent({ name }: Pick<Circus.Event, 'name'>, { rootDescribeBlock }: Circus.State): void {
    if (name === 'run_start') skip(rootDescribeBlock.children, this.#isLeftOut)
    if (name === 'test_fn_failure' || name === 'hook_failure') this.#hasFailed = true
  }

  async teardown(): Promise<void> {
    const end = performance.now() + GRACE_MILLIS
    let left = this.#left()
    while (left.length > 0 && performance.now() < end) {
      await delay(10, undefined, { ref: false })
      left = this.#left()
    }
    globalThis.console = this.#console
    process.exit = this.#exit
    const changed = this.#restoreVariables()
    // A test that fails may not come to its end, and an error here would stand for its own.
    if (this.#hasFailed) return
    if (left.length > 0) throw new Error(`the tests of this file have left open: ${left.join(', ')}`)
    if (changed.length > 0) throw new Error(`the tests of this file have left changed: ${changed.join(', ')}`)
  }

  /** The names of the environment variables that the file has left changed. */
  #restoreVariables(): string[] {
    const before = this.#variables
    const names = new Set([...Object.keys(before), ...Object.keys(process.env)])
    const changed = [...names].filter((name) => process.env[name] !== before[name])
    for (const name of changed) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
    return changed
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
function skip(children: Circus.DescribeBlock['children'], isLeftOut: (name: string) => boolean, prefix = ''): void {
  for (const child of children) {
    const name = `${prefix}${child.name}`
    if (child.type === 'describeBlock') skip(child.children, isLeftOut, `${name} `)
    else if (isLeftOut(name)) child.mode = 'skip'
  }
}
