import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Statement } from '../../src/db/statement.js'
import { searchedGroups } from '../../src/store/directory/group.js'
import { searchedMembers } from '../../src/store/directory/member-search.js'
import { searchStatement } from '../../src/store/search-page.js'

/** A statement, whatever its parameters and rows. */
type AnyStatement = Pick<Statement<never, object>, 'name' | 'text'> & {
  readonly columns: Readonly<Record<string, string>>
}

/** Statements by name, in the given order. Throws if two texts have the same name. */
export function statementsByName(all: readonly AnyStatement[]): ReadonlyMap<string, AnyStatement> {
  const byName = new Map<string, AnyStatement>()
  for (const statement of all) {
    const known = byName.get(statement.name)
    if (known !== undefined && known.text !== statement.text) {
      throw new Error(`the statement ${statement.name} has two texts`)
    }
    byName.set(statement.name, statement)
  }
  return byName
}

const folder = join(import.meta.dirname, '..', '..', 'src', 'store')

/** The statements that the stores make when they are loaded: here once more, whoever has loaded them before. */
async function statementsOfStores(): Promise<AnyStatement[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  // What is below the stores makes statements of its own.
  await import('../../src/db/database.js')
  const made: AnyStatement[] = []
  const collect = (statement: unknown) => made.push(statement as AnyStatement)
  subscribe('svc:statement', collect)
  // The table of staged rows is made before what is staged in it.
  const [first, others] = [files.filter(isOfStaging), files.filter((file) => !isOfStaging(file)).toSorted()]
  for (const file of [...first, ...others]) await import(`${join(folder, file)}?again`)
  unsubscribe('svc:statement', collect)
  return made
}

function isOfStaging(file: string): boolean {
  return file.endsWith('transfer/import.ts')
}

/** Every statement of the service by its name. */
export const statements = statementsByName([
  ...(await statementsOfStores()),
  ...[searchedMembers, searchedGroups(true)].flatMap((searched) => searchStatement<object>(searched)),
])
