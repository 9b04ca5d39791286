import type { PreparedTransaction, Store } from '../../db/queryable.js'
import type { WriteContext } from '../../runtime/write-context.js'
import type { UniqueValue } from '../../store/unique-value.js'
import { takenValueOf } from '../value/taken-value.js'

/** Unique values of members, which the rules check before they write. */
const memberValues: readonly UniqueValue[] = ['email address of member', 'phone number of member']
const MAX_ATTEMPTS = 5

/**
 * Runs work that changes members in a transaction, and again when it has lost a race for an email address or a phone
 * number to a writer that takes no claim on it, such as import: the winner's row is visible then, and the rules see it.
 * The failure of the last attempt is thrown.
 */
export async function memberTransaction<T>(
  database: Store,
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
