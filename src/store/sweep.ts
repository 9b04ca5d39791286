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

/** Deletes expired rows of a table, and returns how many. */
const deleteFrom =
  (table: Table) =>
  async (tables: Tables, { organizationId, by, rows }: ExpiredOf): Promise<number> => {
    const where = { organizationId, expiresAt: { lte: by } }
    return (await modelOf(tables, table).deleteMany({ where, limit: rows })).count
  }

export const deleteExpiredAnswers = deleteFrom(schema.IdempotencyKey)
export const deleteExpiredSessions = deleteFrom(schema.ApiKeySession)
export const deleteExpiredUserTokens = deleteFrom(schema.UserToken)
