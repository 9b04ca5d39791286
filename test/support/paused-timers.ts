import { jest } from '@jest/globals'

/** Timers of this process that the test lets run out. */
export interface PausedTimers {
  /** How many wait. */
  readonly waiting: number
  /** Lets those that wait run out. */
  runOut(): void
  /** Timers are again those of the process; what waits is forgotten. */
  release(): void
}

/** Pauses the timers of this process that are set from now on for a time between two, in milliseconds. */
export function pauseTimers(from: number, to = from): PausedTimers {
  const { setTimeout: start, clearTimeout: clear } = globalThis
  const paused = new Map<unknown, () => void>()
  const pause = (callback: (...args: unknown[]) => void, millis = 1, ...args: unknown[]) => {
    if (millis < from || millis > to) return start(callback, millis, ...args)
    // Only an identity.
    const timer = start(() => undefined, 0)
    paused.set(timer, () => callback(...args))
    return timer
  }
  const spies = [
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(pause as typeof setTimeout),
    jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
      paused.delete(timer)
      clear(timer)
    }),
  ]
  return {
    get waiting() {
      return paused.size
    },
    runOut: () => {
      const due = [...paused.values()]
      paused.clear()
      for (const callback of due) callback()
    },
    release: () => {
      paused.clear()
      for (const spy of spies) spy.mockRestore()
    },
  }
}
