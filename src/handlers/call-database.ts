import { createContextKey, type HandlerContext } from '@connectrpc/connect'
import type { Database } from '../db/database.js'

/** The database as one call sees it, such as one that tells somebody of the statements of this call. */
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
