import type { DescMethod } from '@bufbuild/protobuf'
import type { ContextValues, Interceptor } from '@connectrpc/connect'
import type { AdmitCall } from '../call/admit-call.js'
import type { CallObserver } from '../call/call-observer.js'
import type { Shutdown } from '../call/shutdown.js'
import type { HttpRequest } from './http-message.js'

/** What calls of all RPC protocols share. */
export interface RpcCallOptions {
  readonly interceptors: readonly Interceptor[]
  /** Decides from the header alone whether a call goes on; rejects with a `ConnectError`. */
  readonly admit: (call: AdmitCall) => Promise<ContextValues>
  /** Runs after the size of a request is checked, and before anything of it is decoded. An error that it throws is the
   * answer.
   */
  readonly beforeDecode?: ((call: Pick<AdmitCall, 'method' | 'contextValues'>) => Promise<void>) | undefined
  /** The limit of a message in bytes, before and after decompression. */
  readonly maxBodyBytes: (method: DescMethod) => number
  /**
   * The longest deadline in milliseconds, to which longer ones are shortened, and the default one; undefined for a
   * method whose calls last as long as their clients want.
   */
  readonly maxTimeoutMs: (method: DescMethod) => number | undefined
  readonly shutdown: Shutdown
  /** Told of every call of a method in one of the protocols. */
  readonly observer?: CallObserver | undefined
  /** Called with failures that no caller can be told about. */
  readonly onError: (error: unknown, request: HttpRequest) => void
}

/** The smallest message that is compressed, in bytes: as in Connect. */
export const COMPRESS_MIN_BYTES = 1024
