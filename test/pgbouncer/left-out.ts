import type { LeftOut } from '../support/partial-environment.js'

/** What `npm run test:pgbouncer` leaves out. */
export const leftOut: readonly LeftOut[] = []
