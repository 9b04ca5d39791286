import { setTimeout as delay } from 'node:timers/promises'

/** Repeats a check until it passes. After `timeoutMillis` (default two minutes), throws its last error. */
export async function eventually(check: () => void | Promise<void>, timeoutMillis = 120_000): Promise<void> {
  const end = performance.now() + timeoutMillis
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > end) throw error
    }
    await delay(20)
  }
}
