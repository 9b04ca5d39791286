/** Time and chance, as the client uses them. */
export interface ClientTiming {
  /** Milliseconds since some moment; only differences count. */
  readonly now: () => number
  /** From 0 up to, and without, 1. */
  readonly random: () => number
  /** Resolves after the time; rejects with the signal's reason once it has aborted. */
  readonly wait: (millis: number, signal: AbortSignal) => Promise<void>
}

/** The time and chance of the machine; works in Node and in browsers. */
export const machineTiming: ClientTiming = {
  now: () => performance.now(),
  random: () => Math.random(),
  wait: (millis, signal) =>
    new Promise((resolve, reject) => {
      const onAbort = () => {
        clearTimeout(timer)
        reject(signal.reason)
      }
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }, millis)
      if (signal.aborted) onAbort()
      else signal.addEventListener('abort', onAbort, { once: true })
    }),
}
