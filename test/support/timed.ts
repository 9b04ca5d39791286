/** What a call has returned, and when it ran by the clock of this machine. */
export interface Timed<T> {
  readonly result: T
  /** Whether a time is so many seconds after a moment of the call, to the second or finer, as the time is given. */
  isLater(time: string | Date | undefined, seconds: number): boolean
}

/** Calls something whose result has times that follow from the moment of the call. */
export async function timed<T>(call: () => Promise<T>): Promise<Timed<T>> {
  const from = Date.now()
  const result = await call()
  const to = Date.now()
  return {
    result,
    isLater: (time, seconds) => {
      const moment = new Date(time ?? Number.NaN).getTime() - seconds * 1_000
      // A time may be cut to the second.
      return moment > from - 1_000 && moment <= to + 1
    },
  }
}
