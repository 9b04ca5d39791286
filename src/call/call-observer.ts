import type { Call } from './call.js'

/** Told of every call of a method, whatever its door. Nothing of it may throw. */
export interface CallObserver {
  /** The method of a request is known; nothing of the caller is judged. */
  begun(call: Call): void
  /** The answer is handed to the server, or its client is gone; `errorCode` of the call is known. */
  ended(call: Call): void
}

/** Tells two observers; one where there is one, undefined where there is none. */
export function bothObservers(
  first: CallObserver | undefined,
  second: CallObserver | undefined,
): CallObserver | undefined {
  if (first === undefined || second === undefined) return first ?? second
  return {
    begun: (call) => {
      first.begun(call)
      second.begun(call)
    },
    ended: (call) => {
      first.ended(call)
      second.ended(call)
    },
  }
}
