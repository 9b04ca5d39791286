import type { RetryOptions } from './retry.js'
import type { ClientTiming } from './timing.js'

/** Who calls: an API key, whose tokens are fetched and replaced, or a token from elsewhere. */
export type Credentials =
  | { readonly clientId: string; readonly clientSecret: string }
  | { readonly token: string | (() => string | Promise<string>) }

/** How to reach the service. */
export interface ClientOptions {
  /** The base address, such as `https://api.example.com`. */
  readonly baseUrl: string
  /** Never put a key into a page: give it a `token` function that asks your own server. */
  readonly credentials: Credentials
  readonly retry?: RetryOptions
  /** How long a call may take with all its tries. Default 30 s. */
  readonly timeoutMillis?: number
  /** Default: that of the platform. */
  readonly fetch?: typeof globalThis.fetch
  /** Default: the machine's. */
  readonly timing?: ClientTiming
}
