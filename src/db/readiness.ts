import type { Sql } from './sql.js'

/** Whether the database answers. Never rejects. */
export type Readiness = () => Promise<boolean>

/** Where it is told why the database does not answer. A pino logger fits. */
export interface ReadinessLog {
  warn(fields: { err: unknown }, message: string): void
}

/** Asks the database with an empty statement. Callers that ask at the same time share one statement. */
export function createReadiness(sql: Pick<Sql, 'query'>, log: ReadinessLog): Readiness {
  let running: Promise<boolean> | undefined
  const ask = async (): Promise<boolean> => {
    try {
      await sql.query('SELECT 1', [])
      return true
    } catch (err) {
      log.warn({ err }, 'not ready: the database does not answer')
      return false
    }
  }
  return () => {
    running ??= ask().finally(() => {
      running = undefined
    })
    return running
  }
}
