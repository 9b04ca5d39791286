import type { StagedLine } from '../store/transfer/staging.js'

/** A record as it is staged, but for the line that it came from. */
export type StagedRow = Pick<StagedLine, 'key' | 'values'>
