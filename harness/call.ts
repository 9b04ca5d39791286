/** Where a service listens. */
export interface Origin {
  readonly origin: string
}

/** How a call went. */
export interface CallResult {
  /** 0 if no answer came. */
  readonly status: number
  readonly millis: number
  readonly retryAfter: string | null
  /** Whether it is the stored answer of an earlier call. */
  readonly isReplayed: boolean
  readonly text: string
}

/** A request. */
export interface CallOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** When the caller itself gives up. Default 30 s. */
  readonly patienceMillis?: number
}

/** Sends one request and waits for its end. */
export async function call({ origin }: Origin, path: string, options: CallOptions = {}): Promise<CallResult> {
  const { method = 'GET', headers = {}, body = null, patienceMillis = 30_000 } = options
  const start = performance.now()
  try {
    const signal = AbortSignal.timeout(patienceMillis)
    const response = await fetch(origin + path, { method, headers, body, signal })
    const text = await response.text()
    const { status, headers: answered } = response
    const isReplayed = answered.has('idempotency-replayed')
    return { status, millis: performance.now() - start, retryAfter: answered.get('retry-after'), isReplayed, text }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { status: 0, millis: performance.now() - start, retryAfter: null, isReplayed: false, text: '' }
  }
}

/** A request with a credential and a body of JSON. */
export interface JsonCall extends Omit<CallOptions, 'body'> {
  readonly token: string
  readonly json?: unknown
}

/** Sends one request with a credential, and with JSON if given. */
export function callJson(service: Origin, path: string, { token, json, ...options }: JsonCall): Promise<CallResult> {
  const body = json === undefined ? {} : { body: JSON.stringify(json) }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...options.headers }
  return call(service, path, { ...options, ...body, headers })
}
