import { describe, expect, it } from '@jest/globals'
import { splitStatements } from '../../src/db/migrate.js'

describe('the statements of a migration', () => {
  it.each<[what: string, script: string, statements: string[]]>([
    ['nothing', '', []],
    ['only blanks, comments and empty statements', ' \n;; -- a;\n ; ', []],
    ['one without a semicolon', 'SELECT 1', ['SELECT 1']],
    ['several', 'SELECT 1;SELECT 2 ;\nSELECT 3;\n', ['SELECT 1', 'SELECT 2', 'SELECT 3']],
    ['a comment before a statement, which it keeps', '-- One; and all\nSELECT 1;', ['-- One; and all\nSELECT 1']],
    ['a semicolon in a line comment', 'SELECT 1 -- a; b\n, 2; SELECT 3', ['SELECT 1 -- a; b\n, 2', 'SELECT 3']],
    ['a semicolon in a text', `SELECT 'a;b'; SELECT 2`, [`SELECT 'a;b'`, 'SELECT 2']],
    ['a quote in a text', `SELECT 'it''s; b'; SELECT 2`, [`SELECT 'it''s; b'`, 'SELECT 2']],
    ['a backslash at the end of a text', `SELECT 'a\\'; SELECT 'b'`, [`SELECT 'a\\'`, `SELECT 'b'`]],
    ['a comment mark in a text', `SELECT '--'; SELECT 3`, [`SELECT '--'`, 'SELECT 3']],
    ['a semicolon in a name', 'SELECT 1 AS "a;""b"; SELECT 2', ['SELECT 1 AS "a;""b"', 'SELECT 2']],
    ['a dollar quote', `DO $$ BEGIN x('; $'); END $$; SELECT 2`, [`DO $$ BEGIN x('; $'); END $$`, 'SELECT 2']],
    [
      'a transaction',
      'BEGIN; SELECT CASE WHEN a THEN b END; END; c',
      ['BEGIN', 'SELECT CASE WHEN a THEN b END', 'END', 'c'],
    ],
    ['letters of any alphabet', `SELECT 'ö;😀' AS größe; SELECT 2`, [`SELECT 'ö;😀' AS größe`, 'SELECT 2']],
  ])('are split correctly: %s', (_, script, statements) => {
    expect(splitStatements(script)).toEqual(statements)
  })
})
