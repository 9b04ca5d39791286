/** Tells the calls that run when the server shuts down. */
export interface Shutdown {
  readonly isUnderWay: boolean
  watch(onShutdown: () => void): void
  unwatch(onShutdown: () => void): void
}

/** One listener on the signal for all calls: a listener per call would cost more, and Node warns of so many. */
export function createShutdown(signal: AbortSignal | undefined): Shutdown {
  const watchers = new Set<() => void>()
  signal?.addEventListener('abort', () => {
    for (const watcher of [...watchers]) watcher()
  })
  return {
    get isUnderWay() {
      return signal?.aborted === true
    },
    watch: (onShutdown) => void watchers.add(onShutdown),
    unwatch: (onShutdown) => void watchers.delete(onShutdown),
  }
}
