import { jest } from '@jest/globals'

/** Timers of this process that the test lets run out. */
export interface HeldTimers {
  /** How many wait. */
  readonly waiting: number
  /** Lets those that wait run out. */
  runOut(): void
  /** Timers are again those of the process; what waits is forgotten. */
  release(): void
}

/** Holds the timers of this process that are set from now on for a time between two, in milliseconds. */
export function holdTimers(from: number, to = from): HeldTimers {
  const { setTimeout: start, clearTimeout: clear } = globalThis
  const held = new Map<unknown, () => void>()
  const hold = (callback: (...args: unknown[]) => void, millis = 1, ...args: unknown[]) => {
    if (millis < from || millis > to) return start(callback, millis, ...args)
    // Only to be told apart.
    const timer = start(() => undefined, 0)
    held.set(timer, () => callback(...args))
    return timer
  }
  const spies = [
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(hold as typeof setTimeout),
    jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
      held.delete(timer)
      clear(timer)
    }),
  ]
  return {
    get waiting() {
      return held.size
    },
    runOut: () => {
      const due = [...held.values()]
      held.clear()
      for (const callback of due) callback()
    },
    release: () => {
      held.clear()
      for (const spy of spies) spy.mockRestore()
    },
  }
}
