import type { DescService } from '@bufbuild/protobuf'
import { createContextKey, type HandlerContext, type ServiceImpl } from '@connectrpc/connect'
import type { Database } from '../db/database.js'

/** The database as one call sees it, such as one that tells somebody of the statements of this call. */
export const callDatabaseKey = createContextKey<Database | undefined>(undefined, {
  description: 'database of the call',
})

/** Handlers that work on the database of a call where it has one of its own, else on the one of all calls. */
export function onDatabaseOfCall<Service extends DescService>(
  database: Database,
  create: (database: Database) => ServiceImpl<Service>,
): ServiceImpl<Service> {
  const shared = create(database)
  const handlers = Object.keys(shared).map((name) => [
    name,
    (request: unknown, context: HandlerContext): unknown => {
      const own = context.values.get(callDatabaseKey)
      const implementation = own === undefined ? shared : create(own)
      return Reflect.apply(Reflect.get(implementation, name), implementation, [request, context])
    },
  ])
  return Object.fromEntries(handlers)
}
