import { Code, ConnectError, createContextKey, type HandlerContext } from '@connectrpc/connect'
import type { Database } from '../db/database.js'

/** The database as one call sees it: it is told when the call is over, and may tell somebody of its statements. */
export const callDatabaseKey = createContextKey<Database | undefined>(undefined, {
  description: 'database of the call',
})

/**
 * The database of a call if it has one of its own, otherwise the one of all calls. Handlers ask for it in each call:
 * made anew for a call, they would be slower for all, because V8 compiles a function that is made once for its variables.
 */
export function databaseOf<Shared>(context: Pick<HandlerContext, 'values'>, database: Shared): Shared | Database {
  return context.values.get(callDatabaseKey) ?? database
}

/** The same options, with the database of a call if it has one of its own. */
export function onDatabaseOf<Options extends { readonly database: unknown }>(
  context: Pick<HandlerContext, 'values'>,
  options: Options,
): Options | (Options & { readonly database: Database }) {
  const database = context.values.get(callDatabaseKey)
  return database === undefined ? options : Object.assign({}, options, { database })
}

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
