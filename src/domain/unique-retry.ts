import { databaseFailure } from '../db/errors.js'

/** Unique values of members that are checked before they are written, and that another writer may take in between. */
export const racedMemberConstraints = ['memberships_email_unique', 'memberships_primary_phone_unique'] as const

const MAX_ATTEMPTS = 5

/**
 * Runs a transaction again when it has lost a race for a unique value: the winner's row is visible then, and the rules
 * see it. For constraints that the work has checked before it wrote. The failure of the last attempt is thrown.
 */
export async function retryOnUniqueViolation<T>(constraints: readonly string[], work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const failure = databaseFailure(error)
      const isLostRace = failure?.kind === 'unique_violation' && constraints.includes(failure.constraint)
      if (!isLostRace || attempt === MAX_ATTEMPTS) throw error
    }
  }
}
