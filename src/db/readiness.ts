import type { Sql } from './sql.js'

/** Whether the database answers. Never rejects. */
export type Readiness = () => Promise<boolean>

/** What readiness stands on. */
export interface ReadinessOptions {
  readonly sql: Pick<Sql, 'query'>
  /** Told why the database does not answer. A pino logger fits. */
  readonly log: { warn(fields: { err: unknown }, message: string): void }
  /** How long an answer holds, so that probes are no load whoever sends them. Default 1 s. */
  readonly maxAgeMillis?: number
  /** Milliseconds since some moment. Default: the machine's. */
  readonly now?: () => number
}

/** Asks the database with an empty statement, and not again while the answer holds. */
export function createReadiness(options: ReadinessOptions): Readiness {
  const { sql, log, maxAgeMillis = 1000, now = () => performance.now() } = options
  let asked: { readonly at: number; readonly answer: Promise<boolean> } | undefined
  const ask = async (): Promise<boolean> => {
    try {
      await sql.query('SELECT 1')
      return true
    } catch (err) {
      log.warn({ err }, 'not ready: the database does not answer')
      return false
    }
  }
  return () => {
    const at = now()
    if (asked === undefined || at - asked.at >= maxAgeMillis) asked = { at, answer: ask() }
    return asked.answer
  }
}
