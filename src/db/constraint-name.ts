/** PostgreSQL's limit, in bytes; names of constraints are ASCII. */
const MAX_NAME_LENGTH = 63

/** The number of a shard, and the hash before it of a name that would not fit with the number. */
const SHARD_NUMBER = /_[0-9]{6,}$/
const CUT_WITH_HASH = /_[0-9a-f]{8}_[0-9]{6,}$/

/**
 * The name in the schema of a constraint that the database has reported. Shards of Citus append their number to names;
 * of a name that is too long with it, they keep the beginning and a hash, and the result is only the beginning.
 */
export function declaredName(reported: string): string {
  const isCut = reported.length === MAX_NAME_LENGTH && CUT_WITH_HASH.test(reported)
  return reported.replace(isCut ? CUT_WITH_HASH : SHARD_NUMBER, '')
}

/** Whether a failure's `constraint` is the one with this name in the schema, even if it is only the beginning of it. */
export function isConstraint(constraint: string, name: string): boolean {
  return constraint === name || (constraint.length >= SHORTEST_CUT && name.startsWith(constraint))
}

/** What is left of a name beside a hash of 8 and a number of up to 19 digits. */
const SHORTEST_CUT = MAX_NAME_LENGTH - '_12345678'.length - '_9223372036854775807'.length
