import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Statement } from '../../src/db/statement.js'
import { searchedGroups } from '../../src/store/directory/group.js'
import { searchedMembers } from '../../src/store/directory/member-search.js'
import { searchStatements } from '../../src/store/search-page.js'

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

/** The statements that the stores export: as lists, each file its own (`priorityStatements`), or with a standard store. */
async function statementsOfStores(): Promise<AnyStatement[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  const found: AnyStatement[] = []
  // The table of staged rows is made before what is staged in it.
  const [first, others] = [files.filter(isOfStaging), files.filter((file) => !isOfStaging(file)).toSorted()]
  for (const file of [...first, ...others]) {
    const exported: Record<string, unknown> = await import(join(folder, file))
    for (const [name, value] of Object.entries(exported)) {
      if (name.endsWith('Statements') && Array.isArray(value)) found.push(...value)
      const { statements: ofStore } = Object(value)
      if (name.endsWith('Store') && Array.isArray(ofStore)) found.push(...ofStore)
    }
  }
  return found
}

function isOfStaging(file: string): boolean {
  return file.endsWith('staging.ts')
}

/** Every statement of the service by its name. */
export const statements = statementsByName([
  ...(await statementsOfStores()),
  ...[searchedMembers, searchedGroups(true)].flatMap((searched) => searchStatements<object>(searched)),
])
