import type pg from 'pg'

const CONCURRENTLY =
  /^\s*(CREATE(?:\s+UNIQUE)?|DROP)\s+INDEX\s+CONCURRENTLY\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?((?:[\w$.]|"[^"]*")+)/i

/**
 * The index, as the statement spells it, of a CREATE or DROP INDEX CONCURRENTLY, which PostgreSQL refuses in a
 * transaction; undefined for any other statement.
 */
export function concurrentIndexOf(sql: string) {
  const [, verb = '', index = ''] = CONCURRENTLY.exec(sql.replaceAll(/--.*/g, '')) ?? []
  if (index === '') return undefined
  return { action: /^drop$/i.test(verb) ? ('drop' as const) : ('create' as const), index }
}

/**
 * Runs a statement with CONCURRENTLY outside a transaction. An earlier process may have run it and ended before it
 * recorded that: a valid index is kept, and an invalid one is dropped and created again.
 */
export async function runConcurrently(client: pg.Client, sql: string): Promise<void> {
  const concurrent = concurrentIndexOf(sql)
  if (concurrent === undefined) throw new Error('the statement does nothing concurrently')
  const { action, index } = concurrent
  // It waits for every older transaction, but blocks no one.
  await client.query('SET lock_timeout = 0')
  await client.query('SET statement_timeout = 0')
  const { rows } = await client.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [index],
  )
  const [found] = rows
  if (action === 'create' && found?.valid === false) await client.query(`DROP INDEX CONCURRENTLY ${index}`)
  const isDone = action === 'create' ? found?.valid === true : found === undefined
  if (!isDone) await client.query(sql)
}
