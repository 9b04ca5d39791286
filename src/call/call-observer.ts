import type { Call } from './call.js'

/** Told of every call of a method, whatever its door. Nothing of it may throw. */
export interface CallObserver {
  /** The method of a request is known; nothing of the caller is judged. */
  begun(call: Call): void
  /** The answer is handed to the server, or its client is gone; `errorCode` of the call is known. */
  ended(call: Call): void
}
