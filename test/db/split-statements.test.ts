import { describe, expect, it } from '@jest/globals'
import { splitStatements } from '../../src/db/split-statements.js'

describe('the statements of a script', () => {
  it.each<[what: string, script: string, statements: string[]]>([
    ['nothing', '', []],
    ['blanks, comments and empty statements alone', ' \n;; -- a;\n/* b; */ ; ', []],
    ['one without a semicolon', 'SELECT 1', ['SELECT 1']],
    ['several', 'SELECT 1;SELECT 2 ;\nSELECT 3;\n', ['SELECT 1', 'SELECT 2', 'SELECT 3']],
    ['a comment before a statement, which it keeps', '-- One; and all\nSELECT 1;', ['-- One; and all\nSELECT 1']],
    ['a semicolon in a line comment', 'SELECT 1 -- a; b\n, 2; SELECT 3', ['SELECT 1 -- a; b\n, 2', 'SELECT 3']],
    ['comments in comments', 'SELECT /* a /* b; */ c; */ 1; SELECT 2', ['SELECT /* a /* b; */ c; */ 1', 'SELECT 2']],
    ['a comment that is never closed', 'SELECT 1; SELECT /* a; 2;', ['SELECT 1', 'SELECT /* a; 2;']],
    ['a semicolon in a text', `SELECT 'a;b'; SELECT 2`, [`SELECT 'a;b'`, 'SELECT 2']],
    ['a quote in a text', `SELECT 'it''s; b'; SELECT 2`, [`SELECT 'it''s; b'`, 'SELECT 2']],
    ['a backslash at the end of a text', `SELECT 'a\\'; SELECT 'b'`, [`SELECT 'a\\'`, `SELECT 'b'`]],
    ['an escaped quote', `SELECT E'a\\'; b', e'\\\\'; SELECT 2`, [`SELECT E'a\\'; b', e'\\\\'`, 'SELECT 2']],
    ['a comment mark in a text', `SELECT '--'; SELECT '/*'; SELECT 3`, [`SELECT '--'`, `SELECT '/*'`, 'SELECT 3']],
    ['a semicolon in a name', 'SELECT 1 AS "a;""b"; SELECT 2', ['SELECT 1 AS "a;""b"', 'SELECT 2']],
    ['a dollar quote', `DO $$ BEGIN x('; $'); END $$; SELECT 2`, [`DO $$ BEGIN x('; $'); END $$`, 'SELECT 2']],
    ['dollar quotes in one with a tag', 'DO $a$ x; $$; $b$ $a$; SELECT 2', ['DO $a$ x; $$; $b$ $a$', 'SELECT 2']],
    ['a dollar quote that is never closed', 'SELECT 1; DO $$ x; y;', ['SELECT 1', 'DO $$ x; y;']],
    ['dollars of names and parameters', 'SELECT a$b$, $1; SELECT c$b$', ['SELECT a$b$, $1', 'SELECT c$b$']],
    [
      'statements in parentheses',
      'CREATE RULE r AS ON INSERT TO t DO (a; b); c',
      ['CREATE RULE r AS ON INSERT TO t DO (a; b)', 'c'],
    ],
    [
      'the body of a function in SQL',
      'CREATE FUNCTION f() BEGIN ATOMIC a; SELECT CASE b WHEN 1 THEN 2 END; END; c',
      ['CREATE FUNCTION f() BEGIN ATOMIC a; SELECT CASE b WHEN 1 THEN 2 END; END', 'c'],
    ],
    [
      'a transaction',
      'BEGIN; SELECT CASE WHEN a THEN b END; END; c',
      ['BEGIN', 'SELECT CASE WHEN a THEN b END', 'END', 'c'],
    ],
    ['letters of any alphabet', `SELECT 'ö;😀' AS größe; SELECT 2`, [`SELECT 'ö;😀' AS größe`, 'SELECT 2']],
  ])('are found in %s', (_, script, statements) => {
    expect(splitStatements(script)).toEqual(statements)
  })
})
