import type { Tables } from '../../src/db/tables.js'
import type { Directory } from '../../src/domain/auth/authentication.js'
import { type DirectoryWrite, syncDirectoryUser } from '../../src/domain/directory/directory-sync.js'
import { memberTransaction } from '../../src/domain/user/write.js'
import { notFound } from '../../src/errors.js'
import type { WriteContext } from '../../src/runtime/runtime.js'
import { type DirectoryUserRow, lockDirectoryUser } from '../../src/store/directory/user.js'

/** Writes a member as a directory does whose request does not depend on the member. */
export function writeDirectoryUser(
  database: Tables,
  directory: Directory,
  userId: string,
  write: DirectoryWrite,
  context: WriteContext,
): Promise<DirectoryUserRow> {
  return memberTransaction(database, async (tables) => {
    const scope = { ...directory, ...context, tables }
    const user = await lockDirectoryUser(tables, { organizationId: directory.organizationId, userId })
    if (user === undefined) throw notFound('user', userId)
    return syncDirectoryUser(scope, user, write)
  })
}
