import { timezoneFromText } from '../domain/value/timezone.js'
import type { Runtime } from '../runtime/runtime.js'

/** What the checks of records need besides the records. */
export interface ImportScope {
  readonly runtime: Runtime
  /** `timezoneFromText`, which takes long, with a memory: files name few zones, many times. */
  timezoneFromText(text: string): string | undefined
}

const MAX_REMEMBERED = 1_000

/** Makes the scope of one import. */
export function createImportScope(runtime: Runtime): ImportScope {
  const known = new Map<string, string | undefined>()
  return {
    runtime,
    timezoneFromText: (text) => {
      if (known.has(text)) return known.get(text)
      const timezone = timezoneFromText(text)
      if (known.size < MAX_REMEMBERED) known.set(text, timezone)
      return timezone
    },
  }
}
