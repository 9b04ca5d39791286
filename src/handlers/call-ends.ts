import { Code, ConnectError } from '@connectrpc/connect'
import type { Database } from '../db/database.js'

/** A call by its request, and why it was aborted, if it was. */
interface EndedCall {
  readonly request: object
  readonly abortReason: Error | undefined
}

/** Is told of the ends of calls. */
interface CallEnds {
  begun(): void
  ended(call: EndedCall): void
  onGone(request: object): void
}

/**
 * Tells the database which calls are over before their statements, and `onEnd` of every end, at times twice. A call ends
 * with its answer: whether that is read does not matter.
 */
export function createCallEnds({ stop }: Pick<Database, 'stop'>, onEnd: (request: object) => void): CallEnds {
  return {
    begun: () => {},
    ended: ({ request, abortReason }) => {
      onEnd(request)
      if (abortReason !== undefined) stop(request, abortReason)
    },
    // A call that did not ask whether its client is there does not know.
    onGone: (request) => {
      onEnd(request)
      stop(request, new ConnectError('the client disconnected', Code.Canceled))
    },
  }
}
