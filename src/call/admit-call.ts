import type { DescMethod } from '@bufbuild/protobuf'
import type { ContextValues } from '@connectrpc/connect'
import type { NodeRequest } from './node-http.js'

/**
 * What `admit` is told about a call: its path and method are matched, but nothing of its body or query has been read.
 */
export interface AdmitCall {
  readonly method: DescMethod
  readonly request: NodeRequest
  readonly requestHeader: Headers
  readonly responseHeader: Headers
  readonly url: string
  readonly signal: AbortSignal
  readonly contextValues: ContextValues
  /** The whole milliseconds left until the deadline, undefined without one. */
  timeoutMs(): number | undefined
}
