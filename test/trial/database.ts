import { withDatabase as withServiceDatabase } from '../../harness/database.js'
import { type Database, withSql } from '../support/sql.js'

/** Opens a handle that also sends SQL, passes it to `work` and closes it. */
export function withDatabase<T>(connectionString: string, work: (database: Database) => Promise<T>): Promise<T> {
  return withServiceDatabase(connectionString, (database) => work(withSql(database)))
}
