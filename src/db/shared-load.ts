/**
 * Makes a load whose callers share it: those who come while one runs get the result of the next one. So nobody gets a
 * result of a load that began before they asked.
 */
export function createSharedLoad<T>(load: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | undefined
  let next: Promise<T> | undefined
  const begin = (): Promise<T> => {
    next = undefined
    const loaded = load()
    const ended: Promise<void> = loaded.then(
      () => end(),
      () => end(),
    )
    const end = () => {
      if (running === ended) running = undefined
    }
    running = ended
    return loaded
  }
  return () => {
    if (running === undefined) return begin()
    next ??= running.then(begin)
    return next
  }
}
