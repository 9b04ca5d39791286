import { randomInt } from 'node:crypto'
import { fixture, insertApiKey, insertFixture, insertUserToken } from '../support/fixture.js'
import { withDatabase } from './database.js'
import { clientOf, listsOf, type PagedList, pagedMethods } from './pages/lists.js'
import { allOf, type Finding, type Trial } from './trial.js'

const { acme, users } = fixture
/** What each list has at most when a walk begins: in the short form, and else. */
const [FEW_ROWS, ROWS] = [40, 80]
/** Writers beside each walk, and what each adds at most. */
const WRITERS = 3
const ADDED = 20

/** Walks through every paged list while rows are added and removed. */
export const pages: Trial = {
  name: 'pages',
  onEachDatabase: true,
  amount: { of: 'walks through each list', full: 100, short: 2 },
  run: async (stage, walks) =>
    withDatabase(stage.connectionString, async (sql) => {
      await insertFixture(sql)
      const { origin } = await stage.serve()
      const clients = {
        api: clientOf(origin, await insertUserToken(sql, { userId: users.admin })),
        scim: clientOf(`${origin}/scim/v2`, (await insertApiKey(sql, { organizationId: acme, kind: 'mk' })).secret),
      }
      const findings: Finding[] = []
      const lists = listsOf(sql, clients)
      const rows = walks < 10 ? FEW_ROWS : ROWS
      for (const list of lists) {
        for (let count = (await list.ids()).length; count < rows; count++) await list.add()
        let exact = 0
        for (let walk = 0; walk < walks; walk++) exact += (await walkBeside(list, rows)) ? 1 : 0
        findings.push(allOf(`${list.name}: nothing that is there throughout is missed or doubled`, exact, walks))
      }
      const paged = pagedMethods()
      const walked = paged.filter((method) => lists.some(({ name }) => name === method))
      return [...findings, allOf('methods with pages are among them', walked.length, paged.length)]
    }),
}

/**
 * Walks once beside writers, through so many rows at first. Whether it met everything that was there throughout once, and
 * nothing twice.
 */
async function walkBeside(list: PagedList, rows: number): Promise<boolean> {
  for (const id of (await list.ids()).slice(rows)) await list.remove(id)
  const before = await list.ids()
  const removed = new Set<string>()
  const end = { isReached: false }
  const writers = Array.from({ length: WRITERS }, async () => {
    for (let added = 0; added < ADDED && !end.isReached; added++) {
      await list.add()
      const id = before[randomInt(before.length)]
      if (!list.isRemovedFrom || id === undefined || removed.has(id)) continue
      removed.add(id)
      await list.remove(id)
    }
  })
  const met = await list.walk(1 + randomInt(9)).finally(() => {
    end.isReached = true
  })
  await Promise.all(writers)
  const distinct = new Set(met)
  const missed = before.filter((id) => !removed.has(id) && !distinct.has(id))
  // Two rows that are added at once can change places until both are there: positions show that, keys do not.
  const counted = new Set(list.isRemovedFrom ? met : before)
  const doubled = met.filter((id, index) => counted.has(id) && met.indexOf(id) !== index)
  if (missed.length === 0 && doubled.length === 0) return true
  console.log(`  ${list.name}: missed ${someOf(missed)}; doubled ${someOf(doubled)}`)
  return false
}

/** How many there are, and the first of them. */
function someOf(ids: readonly string[]): string {
  return `${ids.length} (${ids.slice(0, 5).join(' ')})`
}
