import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../db/database.js'
import { codeOf } from '../db/errors.js'
import { createUserToken, type UserToken, type UserTokenRequest } from '../domain/auth/user-token.js'
import { selectMembersOfTokens } from '../store/token-holder.js'
import { type CommandContext, credentialsOf, dataFolderOf } from './command-context.js'

/** The remaining lifetime that a token must have to be announced again. */
const MIN_LEFT_MILLIS = 3_600_000

/**
 * The token that announcements of the demo organization show. It is kept in the data folder, readable by its owner
 * alone, and announced again while it is live; where the folder cannot be written, each announcement has its own.
 */
export async function demoToken(
  database: Database,
  context: CommandContext,
  request: Pick<UserTokenRequest, 'userId' | 'organizationId'>,
): Promise<UserToken> {
  const { config, runtime } = context
  const credentials = credentialsOf(database, context)
  const folder = dataFolderOf(config)
  const file = join(folder, 'demo-token')
  const [token = '', end = ''] = (await unlessUnavailable(() => readFile(file, 'utf8')))?.split('\n') ?? []
  const expiresAt = new Date(end)
  if (expiresAt.getTime() - runtime.now().getTime() >= MIN_LEFT_MILLIS) {
    const asked = { organizationId: request.organizationId, tokenHashes: [credentials.hasher.hash(token)] }
    const [member] = await selectMembersOfTokens(database, asked)
    if (member?.userId === request.userId && !member.isExpired) return { token, expiresAt }
  }
  const made = await createUserToken(credentials, request)
  await unlessUnavailable(async () => {
    await mkdir(folder, { recursive: true })
    // Renamed, so that a command that reads beside this one finds a whole file.
    const written = `${file}.${Buffer.from(runtime.randomBytes(6)).toString('hex')}`
    await writeFile(written, `${made.token}\n${made.expiresAt.toISOString()}\n`, { mode: 0o600, flag: 'wx' })
    await rename(written, file)
  })
  return made
}

/** Undefined where there is no such file, or none that this account may read or write. */
async function unlessUnavailable<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')) return undefined
    throw error
  }
}
