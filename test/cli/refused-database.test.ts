import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { runInProcess } from '../support/command-line.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { fixture, insertFixture } from '../support/fixture.js'

const ROLE = `owns_nothing_${process.pid}`

describe('a command whose database refuses to be written', () => {
  let full: TestDatabase
  let empty: TestDatabase
  beforeAll(async () => {
    full = await createTestDatabase()
    empty = await createTestDatabase('empty')
    await insertFixture(full.open())
    await full.open().execute(`CREATE ROLE ${ROLE} LOGIN PASSWORD 'secret'`)
  })
  afterAll(async () => {
    await full.open().execute(`DROP ROLE ${ROLE}`)
    await Promise.all([full.drop(), empty.drop()])
  })

  const frozen = (url: string) => {
    const frozenUrl = new URL(url)
    frozenUrl.searchParams.set('options', '-c default_transaction_read_only=on')
    return frozenUrl.href
  }
  const ofStranger = (url: string) => {
    const strangerUrl = new URL(url)
    strangerUrl.username = ROLE
    strangerUrl.password = 'secret'
    return strangerUrl.href
  }
  const readOnly =
    /^svc: .*read-only.*: point DATABASE_URL to the primary, or turn off default_transaction_read_only\n$/
  const notOwner = /^svc: permission denied for .*: the role in DATABASE_URL may not do this: let it own .*\n$/

  it.each([
    ['migrate a read-only one', ['migrate'], () => frozen(empty.directUrl), readOnly],
    ['create a key in it', ['keys', 'create', '--org', fixture.acme], () => frozen(full.directUrl), readOnly],
    [
      'rotate a key in it',
      ['init', '--org', 'New', '--admin', 'a@example.com'],
      () => frozen(full.directUrl),
      readOnly,
    ],
    ['migrate as a role that owns nothing', ['migrate'], () => ofStranger(empty.directUrl), notOwner],
    ['create a key as it', ['keys', 'create', '--org', fixture.acme], () => ofStranger(full.directUrl), notOwner],
    ['list as it', ['organizations', 'list'], () => ofStranger(full.directUrl), notOwner],
    ['serve as it', ['serve', '--port', '0'], () => ofStranger(full.directUrl), notOwner],
  ])('says in one line what to do: %s', async (_, args, url, expected) => {
    const { status, stderr } = await runInProcess(args, { env: { DATABASE_URL: url() } })
    expect([status, stderr]).toEqual([1, expect.stringMatching(expected)])
  })
})
