import type { Tables } from '../../db/tables.js'
import type { UniqueValue } from '../../store/unique-value.js'
import { takenValueOf } from '../value/taken-value.js'

/** Unique values of members, which the rules check before they write. */
const memberValues: readonly UniqueValue[] = ['email address of member', 'phone number of member']
const MAX_ATTEMPTS = 5

/**
 * Runs work that changes members in a transaction, and again if it lost a race to a writer that makes no claims, such
 * as an import: for an email address or a phone number. By then the winner's row is visible, and the rules see it. Throws the failure of the last attempt.
 */
export async function memberTransaction<T>(database: Tables, work: (transaction: Tables) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transaction(work)
    } catch (error) {
      if (!isLostRace(error) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

function isLostRace(error: unknown): boolean {
  const value = takenValueOf(error)
  return value !== undefined && memberValues.includes(value)
}
