import type { ClientOptions } from './client-options.js'

/** Throws a `TypeError` that says what is missing, before the first call. */
export function checkOptions({ baseUrl, credentials }: ClientOptions): void {
  const scheme = URL.canParse(baseUrl) ? new URL(baseUrl).protocol : undefined
  if (scheme !== 'http:' && scheme !== 'https:') {
    throw new TypeError(
      `baseUrl must begin with https:// or http://, as in https://api.example.com: ${quoted(baseUrl)}`,
    )
  }
  const given: Readonly<Record<string, unknown>> = { ...credentials }
  const names = 'token' in given ? ['token'] : ['clientId', 'clientSecret']
  const missing = names.filter((name) => given[name] === undefined || given[name] === '')
  if (missing.length > 0) {
    throw new TypeError(
      `credentials lack ${missing.join(' and ')}: pass clientId and clientSecret of a key, or a token`,
    )
  }
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
