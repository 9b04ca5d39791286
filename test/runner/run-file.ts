import { register } from 'node:module'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type AssertionResult, createEmptyTestResult, type TestResult } from '@jest/test-result'
import type { Circus, Config } from '@jest/types'
import { expect } from 'expect'
import { addEventHandler, getState, removeEventHandler, resetState, run, setState } from 'jest-circus'
import { formatExecError, formatResultsErrors } from 'jest-message-util'
import type StrictEnvironment from './environment.js'
import { jest } from './globals.js'
import { startStopwatch } from './stopwatch.js'

type FileResult = Circus.RunResult['testResults'][number]

register('./modules.js', import.meta.url)
process.setSourceMapsEnabled(true)

/**
 * Runs a file of tests as Node runs any program: its modules are those of the process, so that the files that a worker
 * runs one after the other load and compile the service once.
 */
export default async function runFile(
  globalConfig: Config.GlobalConfig,
  projectConfig: Config.ProjectConfig,
  environment: StrictEnvironment,
  _runtime: unknown,
  path: string,
): Promise<TestResult> {
  // Node reads the source maps of what the hooks compile, unless something else prepares traces.
  Reflect.deleteProperty(Error, 'prepareStackTrace')
  resetState()
  const { testNamePattern, testTimeout = projectConfig.testTimeout, seed, randomize, maxConcurrency } = globalConfig
  setState({
    ...getState(),
    testNamePattern: testNamePattern ? new RegExp(testNamePattern, 'i') : null,
    testTimeout: testTimeout ?? getState().testTimeout,
    seed,
    maxConcurrency,
    ...(randomize !== undefined && { randomize }),
  })
  expect.setState({ expand: globalConfig.expand, testPath: path })
  const onEvent: Circus.EventHandler = (event: Circus.Event, state) => environment.handleTestEvent(event, state)
  addEventHandler(onEvent)
  const stopWatching = watchForErrors()
  try {
    await import(pathToFileURL(path).href)
    // The first file of a worker loads what others need too.
    const stopwatch = startStopwatch()
    const result = toTestResult(await run(), { globalConfig, projectConfig, path })
    return { ...result, perfStats: Object.assign(result.perfStats, stopwatch()) }
  } finally {
    stopWatching()
    removeEventHandler(onEvent)
    jest.restoreAllMocks()
  }
}

/** Names the current test for `expect`, and asks it afterwards what it expected but did not see. */
addEventHandler((event: Circus.Event) => {
  if (event.name === 'test_start') {
    expect.setState({ currentTestName: nameOf(event.test) })
  } else if (event.name === 'test_done') {
    const { suppressedErrors, numPassingAsserts } = expect.getState()
    event.test.numPassingAsserts = numPassingAsserts
    event.test.errors.push(...suppressedErrors, ...expect.extractExpectedAssertionsErrors().map(({ error }) => error))
    expect.setState({ suppressedErrors: [] })
  }
})

function nameOf({ name, parent }: Circus.TestEntry | Circus.DescribeBlock): string {
  return parent?.parent === undefined ? name : `${nameOf(parent)} ${name}`
}

/** Lets what nobody catches fail the test that runs, and what remains rejected at the end fail the file. */
function watchForErrors(): () => void {
  const rejections = new Map<Promise<unknown>, unknown>()
  const listeners = {
    uncaughtException: (error: unknown) => {
      const { currentlyRunningTest, unhandledErrors } = getState()
      const errors = currentlyRunningTest?.errors ?? unhandledErrors
      errors.push(error)
    },
    unhandledRejection: (error: unknown, promise: Promise<unknown>) => rejections.set(promise, error),
    rejectionHandled: (promise: Promise<unknown>) => rejections.delete(promise),
  }
  const before = Object.keys(listeners).map((name) => [name, process.rawListeners(name)] as const)
  for (const [name, listener] of Object.entries(listeners)) process.removeAllListeners(name).on(name, listener)
  const onEnd: Circus.EventHandler = async (event: Circus.Event) => {
    if (event.name !== 'run_finish') return
    await nextTurn()
    getState().unhandledErrors.push(...rejections.values())
  }
  addEventHandler(onEnd)
  return () => {
    removeEventHandler(onEnd)
    for (const [name, own] of before) {
      process.removeAllListeners(name)
      for (const listener of own) Reflect.apply(process.on, process, [name, listener])
    }
  }
}

interface FileRun {
  readonly globalConfig: Config.GlobalConfig
  readonly projectConfig: Config.ProjectConfig
  readonly path: string
}

function toTestResult(
  { testResults, unhandledErrors, unhandledErrorsDetailed }: Circus.RunResult,
  { globalConfig, projectConfig, path }: FileRun,
): TestResult {
  const results = testResults.map(toAssertionResult)
  const count = (status: AssertionResult['status']) => results.filter((each) => each.status === status).length
  const messages = [
    formatResultsErrors(results, projectConfig, globalConfig, path) ?? '',
    ...unhandledErrorsDetailed.map((error) => formatExecError(error, projectConfig, globalConfig)),
  ]
  return {
    ...createEmptyTestResult(),
    testFilePath: path,
    // Errors can have properties that do not pass to the process of the reporters, which prints the messages.
    testResults: results.map((each) => ({ ...each, failureDetails: [] })),
    numFailingTests: count('failed'),
    numPassingTests: count('passed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    failureMessage: messages.join('\n') || null,
    ...(unhandledErrors.length > 0 && { testExecError: { message: '', stack: unhandledErrors.join('\n') } }),
  }
}

function toAssertionResult(result: FileResult): AssertionResult {
  // The first name is that of the file's own block.
  const names = result.testPath.slice(1)
  return {
    ancestorTitles: names.slice(0, -1),
    title: names.at(-1) ?? '',
    fullName: names.join(' '),
    status: statusOf(result),
    duration: result.duration ?? null,
    failureMessages: result.errors.map(withPaths),
    failureDetails: result.errorsDetailed.map(errorWithPaths),
    invocations: result.invocations,
    location: result.location ?? null,
    numPassingAsserts: result.numPassingAsserts,
    retryReasons: [...result.retryReasons],
  }
}

/** Jest shows the line of a path, but neither of a URL nor of a function whose name Node does not know. */
function withPaths(trace: string): string {
  return trace.replaceAll('file:///', '/').replaceAll(/ at <anonymous> \(([^()\n]+)\)$/gm, ' at $1')
}

function errorWithPaths(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (typeof error.stack === 'string') error.stack = withPaths(error.stack)
  errorWithPaths(error.cause)
  return error
}

function statusOf({ status, errors }: FileResult): AssertionResult['status'] {
  if (status === 'skip') return 'pending'
  if (status === 'todo') return 'todo'
  return errors.length > 0 ? 'failed' : 'passed'
}
