import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageRoot } from '../package.js'

/** One migration of `prisma/migrations`. */
export interface Migration {
  /** Name of its folder; the order of the names is the order of application. */
  readonly name: string
  readonly sql: string
  /** SHA-256 of the file in hexadecimal, as Prisma Migrate records it. */
  readonly checksum: string
}

/** The migrations that come with this build. */
export const MIGRATIONS_FOLDER = join(packageRoot(), 'prisma', 'migrations')

/** Reads the migrations of a folder in order. Throws if one has no `migration.sql`. */
export async function loadMigrations(folder: string = MIGRATIONS_FOLDER): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => {
      const bytes = await readFile(join(folder, name, 'migration.sql'))
      return { name, sql: bytes.toString('utf8'), checksum: createHash('sha256').update(bytes).digest('hex') }
    }),
  )
}

/** Comments, texts, names and bodies of functions, in which a semicolon ends nothing; or one character. */
const element = /--[^\n]*|'[^']*'|"[^"]*"|\$\$[\s\S]*?\$\$|[\s\S]/g

/**
 * The statements of a migration in order, each with the comments before it and without its semicolon. It may have what
 * migrations have: comments of a line, texts without backslash escapes, and bodies between `$$`.
 */
export function splitStatements(sql: string): string[] {
  const statements: string[] = []
  let statement = ''
  let isBegun = false
  for (const [part] of `${sql};`.matchAll(element)) {
    if (part === ';') {
      if (isBegun) statements.push(statement.trim())
      statement = ''
      isBegun = false
    } else {
      statement += part
      isBegun ||= !part.startsWith('--') && part.trim() !== ''
    }
  }
  return statements
}
