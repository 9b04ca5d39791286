import type { PreparedStore, PreparedTransaction } from '../../db/queryable.js'
import type { WriteContext } from '../../runtime/write-context.js'
import type { UniqueValue } from '../../store/unique-value.js'
import { takenValueOf } from '../value/taken-value.js'

/** Unique values of members, which the rules check before they write. */
const memberValues: readonly UniqueValue[] = ['email address of member', 'phone number of member']
const MAX_ATTEMPTS = 5

/**
 * Runs work that changes members in a transaction, and again if it lost a race for an email address or a phone number
 * to a writer that does not claim it, such as an import: by then the winner's row is visible, and the rules see it.
 * Throws the failure of the last attempt.
 */
export async function memberTransaction<T>(
  database: PreparedStore,
  context: WriteContext,
  work: (transaction: PreparedTransaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.preparedTransaction(work, context)
    } catch (error) {
      const value = takenValueOf(error)
      const isLostRace = value !== undefined && memberValues.includes(value)
      if (!isLostRace || attempt === MAX_ATTEMPTS) throw error
    }
  }
}
