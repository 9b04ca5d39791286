import { schema } from '../../gen/prisma/schema.js'
import type { Tables } from '../db/tables.js'
import type { Table } from './resource/resource.js'
import { modelOf } from './standard-writes.js'

/** Rows of an organization to delete: those that expired or were made by a time, at most so many. */
export interface ExpiredOf {
  readonly organizationId: string
  readonly by: Date
  readonly rows: number
}

/** Deletes rows of a table that are over by a time, by default those that have expired then, and returns how many. */
const deleteFrom =
  (table: Table, isOver: (by: Date) => object = (by) => ({ expiresAt: { lte: by } })) =>
  async (tables: Tables, { organizationId, by, rows }: ExpiredOf): Promise<number> => {
    const where = { organizationId, ...isOver(by) }
    return (await modelOf(tables, table).deleteMany({ where, limit: rows })).count
  }

export const deleteExpiredAnswers = deleteFrom(schema.IdempotencyKey)
export const deleteExpiredSessions = deleteFrom(schema.ApiKeySession)
export const deleteExpiredUserTokens = deleteFrom(schema.UserToken)
/** Deletes deliveries that have ended and were made by a time. */
export const deleteOldDeliveries = deleteFrom(schema.WebhookDelivery, (by) => {
  return { createdAt: { lte: by }, status: { not: 'PENDING' } }
})
