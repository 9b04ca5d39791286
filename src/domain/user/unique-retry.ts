import type { UniqueValue } from '../../store/unique-value.js'
import { takenValueOf } from '../value/taken-value.js'

/** Unique values of members, which the rules check before they write. */
const memberValues: readonly UniqueValue[] = ['email address of member', 'phone number of member']
const MAX_ATTEMPTS = 5

/**
 * Runs a transaction again when it has lost a race for an email address or a phone number to a writer that takes no
 * claim on it, such as import: the winner's row is visible then, and the rules see it. The failure of the last attempt
 * is thrown.
 */
export async function retryOnUniqueViolation<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const value = takenValueOf(error)
      const isLostRace = value !== undefined && memberValues.includes(value)
      if (!isLostRace || attempt === MAX_ATTEMPTS) throw error
    }
  }
}
