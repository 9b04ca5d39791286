import { Roster } from './roster.js'

/** Tells running calls that the server is shutting down. */
export interface Shutdown {
  readonly isUnderWay: boolean
  /** Returns the place to give to `unwatch`. */
  watch(onShutdown: () => void): number
  unwatch(place: number): void
}

/** One listener on the signal for all calls: a listener per call would cost more, and Node warns about so many. */
export function createShutdown(signal: AbortSignal | undefined): Shutdown {
  const watchers = new Roster<() => void>()
  signal?.addEventListener('abort', () => {
    for (const watcher of watchers) watcher()
  })
  return {
    get isUnderWay() {
      return signal?.aborted === true
    },
    watch: (onShutdown) => watchers.join(onShutdown),
    unwatch: (place) => watchers.leave(place),
  }
}
