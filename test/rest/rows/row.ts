import type { TestRequest } from '../http.js'

export const json = { 'content-type': 'application/json' }
export const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** A request, and what is answered. */
export interface Row {
  readonly name: string
  readonly request: TestRequest
  readonly status?: number
  readonly json?: unknown
  readonly text?: string
  /** What the message of an error says. */
  readonly error?: string
  readonly headers?: Record<string, string>
}

/** A GET of a target. */
export function get(target: string): TestRequest {
  return { target }
}

/** A request with a body, JSON where nothing else is said. */
export function send(
  method: string,
  target: string,
  body: string | Uint8Array,
  headers: TestRequest['headers'] = json,
): TestRequest {
  return { method, target, body, headers }
}

/** A request that is answered 200 with JSON. */
export const ok = (name: string, request: TestRequest, value: unknown): Row => ({ name, request, json: value })
/** A request that is refused, and a part of the message. */
export const bad = (name: string, request: TestRequest, error: string, status = 400): Row => ({
  name,
  request,
  status,
  error,
})
