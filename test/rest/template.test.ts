import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { type PathTemplate, parseTemplate, templateToString } from '../../src/rest/template.js'

function parsed(text: string): PathTemplate {
  const result = parseTemplate(text)
  if (typeof result === 'string') throw new Error(result)
  return result
}

function faultOf(text: string): string {
  const result = parseTemplate(text)
  return typeof result === 'string' ? result : 'no fault'
}

describe('a valid template', () => {
  it.each([
    ['/shelves', '/shelves'],
    ['/shelves/*/books/**', '/shelves/*/books/**'],
    ['/v1/{name}', '/v1/*'],
    ['/v1/{name=*}', '/v1/*'],
    ['/v1/{name=**}', '/v1/**'],
    ['/v1/{name=shelves/*/books/*}', '/v1/shelves/*/books/*'],
    ['/v1/{a.b.c=x}/{d}', '/v1/x/*'],
    ['/{x=a/*/**}', '/a/*/**'],
    ['/a/*:verb', '/a/*:verb'],
    ['/a/**:verb', '/a/**:verb'],
    ['/{x}:verb', '/*:verb'],
    ['/a/{b=*}/**:verb', '/a/*/**:verb'],
    ['/message:send', '/message:send'],
    ['/a-b_c.d~e/$f!g', '/a-b_c.d~e/$f!g'],
    ['/a%20b/%2A', '/a%20b/%2A'],
    ['/a=b', '/a%3Db'],
    ['/foo%2Fbar:%2c', '/foo%2Fbar:,'],
    ['/%C3%BC/%ab:%ff', '/%C3%BC/%AB:%FF'],
    ['/_a1.b/{_x1}', '/_a1.b/*'],
  ])('%s parses and has the shape %s', (text, shape) => {
    expect(templateToString({ ...parsed(text), variables: [] })).toBe(shape)
  })

  it.each([
    ['/v1/{name=*}', '/v1/{name}'],
    ['/v1/{name}/x', '/v1/{name}/x'],
    ['/v1/*/{a.b=x/*}/y/{c=**}:verb', '/v1/*/{a.b=x/*}/y/{c=**}:verb'],
  ])('%s is printed as %s', (text, printed) => {
    expect(templateToString(parsed(text))).toBe(printed)
  })

  it.each([
    ['/a/{x}', false],
    ['/a/{x=b}', false],
    ['/a/{x=**}', true],
    ['/a/{x=b/*}', true],
  ])('%s can capture more or fewer segments than one: %s', (text, multi) => {
    expect(parsed(text).variables).toMatchObject([{ multi }])
  })

  it('lists what each variable captures', () => {
    expect(parsed('/v1/{a.b=x/*/y}/z/{c=**}:verb')).toEqual({
      segments: [
        { kind: 'literal', text: 'v1' },
        { kind: 'literal', text: 'x' },
        { kind: '*' },
        { kind: 'literal', text: 'y' },
        { kind: 'literal', text: 'z' },
        { kind: '**' },
      ],
      variables: [
        { fieldPath: ['a', 'b'], start: 1, end: 4, multi: true, column: 6 },
        { fieldPath: ['c'], start: 5, end: 6, multi: true, column: 20 },
      ],
      verb: 'verb',
    })
  })

  it('reads {x} as {x=*}', () => {
    expect(parsed('/{x}').segments).toEqual(parsed('/{x=*}').segments)
  })
})

describe('an invalid template is refused with the column and what was expected', () => {
  it.each([
    ['', 'column 1: expected "/", found the end of the template'],
    ['a/b', 'column 1: expected "/", found "a"'],
    ['{x}', 'column 1: expected "/", found "{"'],
    ['/', 'column 2: expected "*", "**", "{" or a literal, found the end of the template'],
    ['//', 'column 2: expected "*", "**", "{" or a literal, found "/"'],
    ['/a/', 'column 4: expected "*", "**", "{" or a literal, found the end of the template'],
    ['/a//b', 'column 4: expected "*", "**", "{" or a literal, found "/"'],
    ['/:verb', 'column 2: expected "*", "**", "{" or a literal, found ":"'],
    ['/a:', 'column 4: expected a literal, found the end of the template'],
    ['/a:b:c', 'column 5: expected the end of the template, found ":"'],
    ['/a:b/c', 'column 5: expected the end of the template, found "/"'],
    ['/a:*', 'column 4: expected a literal, found "*"'],
    ['/a/{', 'column 5: expected a field path, found the end of the template'],
    ['/a/{}', 'column 5: expected a field path, found "}"'],
    ['/a/{x', 'column 6: expected "=" or "}", found the end of the template'],
    ['/a/{x.', 'column 7: expected an identifier, found the end of the template'],
    ['/a/{x.}', 'column 7: expected an identifier, found "}"'],
    ['/a/{x..y}', 'column 7: expected an identifier, found "."'],
    ['/a/{.x}', 'column 5: expected an identifier, found "."'],
    ['/a/{x.1}', 'column 7: expected an identifier, found "1"'],
    ['/a/{1x}', 'column 5: expected an identifier, found "1"'],
    ['/a/{x-y}', 'column 6: expected ".", "=" or "}", found "-"'],
    ['/a/{x=}', 'column 7: expected "*", "**" or a literal, found "}"'],
    ['/a/{x=/b}', 'column 7: expected "*", "**" or a literal, found "/"'],
    ['/a/{x=b/}', 'column 9: expected "*", "**" or a literal, found "}"'],
    ['/{x=a/{y}}', 'column 7: expected "*", "**" or a literal, found "{"'],
    ['/{x=a:b}', 'column 6: expected "/" or "}", found ":"'],
    ['/a{x}', 'column 3: expected "/", ":" or the end of the template, found "{"'],
    ['/{x}a', 'column 5: expected "/", ":" or the end of the template, found "a"'],
    ['/{x}{y}', 'column 5: expected "/", ":" or the end of the template, found "{"'],
    ['/a*', 'column 3: expected "/", ":" or the end of the template, found "*"'],
    ['/*a', 'column 3: expected "/", ":" or the end of the template, found "a"'],
    ['/***', 'column 4: expected "/", ":" or the end of the template, found "*"'],
    ['/**/a', 'column 5: expected the end of the path, because "**" must be its last segment, found "a"'],
    ['/{x=**}/a', 'column 9: expected the end of the path, because "**" must be its last segment, found "a"'],
    ['/{x=**/a}', 'column 8: expected the end of the path, because "**" must be its last segment, found "a"'],
    ['/**/**', 'column 5: expected the end of the path, because "**" must be its last segment, found "**"'],
    ['/a?b=c', 'column 3: expected a path character (percent-encode all others), found "?"'],
    ['/a b', 'column 3: expected a path character (percent-encode all others), found " "'],
    ['/ü', 'column 2: expected a path character (percent-encode all others), found "ü"'],
    ['/a%2', 'column 3: expected two hexadecimal digits after "%", found "%"'],
  ])('%s', (text, fault) => {
    expect(faultOf(text)).toBe(fault)
  })
})

const ident = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,5}$/)
const literal = fc
  .string({ minLength: 1, maxLength: 8, unit: 'grapheme' })
  .map((text) => encodeURIComponent(text).replaceAll('*', '%2A'))
const segments = fc
  .tuple(fc.array(fc.oneof(fc.constant('*'), literal), { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([parts]) => parts.join('/'))
const variable = fc
  .tuple(fc.array(ident, { minLength: 1, maxLength: 3 }), fc.option(segments))
  .map(([path, inner]) => `{${path.join('.')}${inner === null ? '' : `=${inner}`}}`)
const template = fc
  .tuple(
    fc.array(fc.oneof(fc.constant('*'), literal, variable), { minLength: 1, maxLength: 5 }),
    fc.constantFrom('', '/**', '/{rest=**}', '/{rest=a/**}'),
    fc.option(literal),
  )
  .map(([parts, rest, verb]) => `/${parts.join('/')}${rest}${verb === null ? '' : `:${verb}`}`)

describe('random templates', () => {
  it('survive parsing, printing and parsing again', () => {
    fc.assert(
      fc.property(template, (text) => {
        const first = parsed(text)
        const second = parsed(templateToString(first))
        const columnless = (each: PathTemplate) => ({
          ...each,
          variables: each.variables.map(({ column: _column, ...rest }) => rest),
        })
        expect(columnless(second)).toEqual(columnless(first))
        expect(templateToString(second)).toBe(templateToString(first))
      }),
      { numRuns: 2000 },
    )
  })

  it('never cause an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[/*{}=:.%a-z0-9]{0,20}$/)), (text) => {
        const result = parseTemplate(text)
        if (typeof result === 'string') expect(result).toMatch(/^column [1-9]/)
        else expect(typeof parseTemplate(templateToString(result))).toBe('object')
      }),
      { numRuns: 10000 },
    )
  })
})
