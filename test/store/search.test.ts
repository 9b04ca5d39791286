import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { appResources } from '../../src/domain/app-resource.js'
import { listObjects } from '../../src/domain/standard-methods.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertFixture } from '../support/fixture.js'
import { organizationKey, scopeOn } from '../support/scope.js'
import type { Database } from '../support/sql.js'

let testDatabase: TestDatabase
let database: Database

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = testDatabase.open()
  await insertFixture(database)
})
afterAll(() => testDatabase.drop())

const id = fixture.appResources.it

async function find(q: string, organizationId: string = fixture.acme) {
  const filters = { appInstanceId: '', resourceType: '', externalId: '', q }
  const request = { pageSize: 0, pageToken: '', includeTotal: true, filters }
  const { items, totalSize } = await listObjects(
    scopeOn(database, organizationKey(organizationId)),
    appResources,
    request,
  )
  const found: readonly { readonly id: string }[] = JSON.parse(`[${items}]`)
  expect(totalSize).toBe(found.length)
  return found.map((each) => each.id)
}

const naming = (name: string) => database.execute('UPDATE app_resources SET name = $2 WHERE id = $1', [id, name])

it.each([
  ['a word by its beginning', 'Béla Kovács', 'bel', true],
  ['several in any order', 'Zoë Chen', 'chen zo', true],
  ['a letter of the next word', 'Béla Kovács', 'bela k', true],
  ['no word by its middle', 'Béla Kovács', 'ovacs', false],
  ['nothing that has only some of the words', 'Béla Kovács', 'bela chen', false],
  ['one word twice', 'Béla Kovács', 'bela bela', true],
  ['accents that the text has', 'Zoë', 'zoe', true],
  ['accents that the text has not', 'Zoe', 'ZOË', true],
  ['accents as marks of their own', 'Zoe\u0308', 'zoë', true],
  ['letters that have a stroke', 'Łukasz Sørensen', 'lukasz sorensen', true],
  ['the German ß', 'Straße', 'STRASSE', true],
  ['the German ß, given', 'STRASSE', 'straße', true],
  ['the Turkish İ', 'İpek', 'ipek', true],
  ['the Turkish ı', 'Işık', 'isik', true],
  ['the Greek sigma at the end', 'ΟΔΟΣ', 'οδος', true],
  ['Cyrillic in either case', 'Ирина', 'ИРИ', true],
  ['Chinese by its beginning', '山田太郎', '山田', true],
  ['Japanese in the width that is given', 'ガイド', 'ｶﾞｲ', true],
  ['Korean by its beginning', '김철수', '김', true],
  ['Latin in full width', 'ＡＢＣ', 'ab', true],
  ['the domain of an address', 'zoe@globex.example', 'globex.example', true],
  ['an address', 'zoe.chen@globex.example', 'Zoe.Chen@globex.example', true],
  ['a part after a hyphen', 'Anne-Marie', 'marie', true],
  ['both parts of a hyphen', 'Anne-Marie', 'anne-m', true],
  ['a part after an apostrophe', "O'Brien", 'brien', true],
  ['another apostrophe', 'O’Brien', "o'brien", true],
  ['digits', 'Floor 42b', '42', true],
  ['a percent sign as punctuation', '100% cotton', '100%', true],
  ['an underscore as punctuation', 'build_farm', 'farm', true],
  ['no wildcard in %', 'cotton', 'c%n', false],
  ['no wildcard in _', 'cotton', 'c_tton', false],
  ['no operator in its own words', 'cotton', "cotton | 'x' & !y:*", false],
  ['a backslash as punctuation', 'a\\b', 'b', true],
  ['nothing for punctuation alone', 'a - b', '-', false],
  ['nothing for a percent sign alone', '100%', '%', false],
])('a search finds %s', async (_, name, q, isFound) => {
  await naming(name)
  expect(await find(q)).toEqual(isFound ? [id] : [])
})

it('takes the longest name, and what Unicode writes longest', async () => {
  for (const letter of ['x', '김', '\u3300', '\ufdfa', '\u{1f469}']) {
    await naming(letter.repeat(255 / letter.length))
    expect(await find(letter.repeat(64 / letter.length))).toEqual([id])
  }
})

it('finds nothing of another organization', async () => {
  await naming('Unmistakable')
  expect(await find('unmist')).toEqual([id])
  expect(await find('unmist', fixture.globex)).toEqual([])
})
