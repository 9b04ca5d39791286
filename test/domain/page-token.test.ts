import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { createPageTokens, type PageQuery, type PageTokens } from '../../src/domain/value/page-token.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import type { Database } from '../support/sql.js'

const query: PageQuery = { method: 'ListAppInstances', organizationId: 'acme', filter: { teamId: 'it' } }
const advice =
  'was altered or belongs to a different query: send it unchanged with the same filter, or omit it to start over'
const invalid = expect.objectContaining({
  reason: 'PAGE_TOKEN_INVALID',
  code: 'invalid_argument',
  message: `pageToken: ${advice}`,
})

describe('a page token', () => {
  let database: TestDatabase
  let db: Database
  let tokens: PageTokens

  beforeAll(async () => {
    database = await createTestDatabase()
    db = database.open()
    tokens = createPageTokens(db)
  })

  afterAll(() => database.drop())

  it('returns the position that it was issued for', async () => {
    const position = fc
      .string({ minLength: 1, maxLength: 200, unit: 'grapheme' })
      .filter((text) => !text.includes('\0'))
    await fc.assert(
      fc.asyncProperty(position, async (text) => {
        expect(await tokens.read(query, await tokens.issue(query, text))).toBe(text)
      }),
    )
  })

  it('is absent for the first page', async () => {
    expect(await tokens.read(query, '')).toBeUndefined()
  })

  it('is accepted by every process on the database', async () => {
    expect(await createPageTokens(db).read(query, await tokens.issue(query, '42'))).toBe('42')
  })

  it('reveals neither its position nor the length of it', async () => {
    const short = await tokens.issue(query, '7')
    const long = await tokens.issue(query, '1234567890')
    expect(long).toHaveLength(short.length)
    expect(Buffer.from(long, 'base64url').includes('1234567890')).toBe(false)
    expect(short).toMatch(/^[A-Za-z0-9_-]+$/)
  })

  it('is refused after any change of any character', async () => {
    const token = await tokens.issue(query, '42')
    for (let index = 0; index < token.length; index++) {
      const other = token[index] === 'A' ? 'B' : 'A'
      const changed = token.slice(0, index) + other + token.slice(index + 1)
      const read = tokens.read(query, changed).catch((error: unknown) => error)
      expect([changed, await read]).toEqual([changed, invalid])
    }
  })

  it.each([
    ['another method', { ...query, method: 'ListUsers' }],
    ['another organization', { ...query, organizationId: 'globex' }],
    ['another value of the filter', { ...query, filter: { teamId: 'people' } }],
    ['another name in the filter', { ...query, filter: { groupId: 'it' } }],
    ['a wider filter', { ...query, filter: { teamId: 'it', name: '' } }],
    ['no filter', { ...query, filter: {} }],
  ])('is refused by %s', async (_, other) => {
    const token = await tokens.issue(query, '42')
    await expect(tokens.read(other, token)).rejects.toEqual(invalid)
  })

  it.each([
    ['text that is no base64url', '!!!'],
    ['a space', ' '],
    ['a number', '42'],
    ['something long', 'A'.repeat(100_000)],
    ['as many zero bytes', 'A'.repeat(86)],
  ])('is refused if it is %s', async (_, token) => {
    await expect(tokens.read(query, token)).rejects.toEqual(invalid)
  })

  it('is refused with surrounding text', async () => {
    const token = await tokens.issue(query, '42')
    for (const changed of [
      `${token}=`,
      `${token} `,
      ` ${token}`,
      `${token}A`,
      token.slice(0, -1),
      `${token}${token}`,
    ]) {
      const read = tokens.read(query, changed).catch((error: unknown) => error)
      expect([changed, await read]).toEqual([changed, invalid])
    }
  })

  it('cannot be created if the database has no key for it', async () => {
    const other = await createTestDatabase()
    try {
      const empty = other.open()
      await empty.execute(`DELETE FROM signing_keys WHERE name = 'page_token'`)
      await expect(createPageTokens(empty).issue(query, '42')).rejects.toThrow('no signing key for page tokens')
    } finally {
      await other.drop()
    }
  })

  it("does not depend on the order of the filter's fields", async () => {
    const token = await tokens.issue({ ...query, filter: { a: '1', b: '2' } }, '42')
    expect(await tokens.read({ ...query, filter: { b: '2', a: '1' } }, token)).toBe('42')
  })
})
