import { fromJson } from '@bufbuild/protobuf'
import { Int64ValueSchema } from '@bufbuild/protobuf/wkt'
import { ConnectError } from '@connectrpc/connect'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { parseJsonTree } from '../../src/protojson/json-text.js'
import { Fraction, plainJson } from '../../src/protojson/json-tree.js'
import { messageFromJson, parseStrictJson } from '../../src/rest/index.js'
import { messageType } from '../rest/fixture.js'

describe('strict JSON', () => {
  it('reads whatever JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, undefined, space)
        expect(plainJson(parseJsonTree(text), Number)).toEqual(JSON.parse(text))
        expect(plainJson(parseJsonTree(Buffer.from(text)), Number)).toEqual(JSON.parse(text))
      }),
      { numRuns: 3000 },
    )
  })

  it('reads a number in time proportional to its digits', () => {
    const zeros = '0'.repeat(2_000_000)
    expect(parseJsonTree(`1.${zeros}1`)).toEqual(new Fraction(1))
    expect(parseJsonTree(`1.${zeros}`)).toBe(1)
    expect(parseJsonTree(`0.${zeros}1e2000001`)).toBe(1)
    expect(parseJsonTree(`1${zeros}e-2000000`)).toBe(1)
  })

  it('refuses whatever JSON.parse refuses, with the right kind of error', () => {
    const soup = fc.stringMatching(/^[{}[\]",:0-9eE+\-. \\utrnfalse]{0,20}$/)
    fc.assert(
      fc.property(fc.oneof(fc.string(), soup), (text) => {
        let expected: unknown = ConnectError
        try {
          expected = JSON.parse(text)
        } catch {}
        try {
          expect(plainJson(parseJsonTree(text), Number)).toEqual(expected)
        } catch (error) {
          expect(error).toBeInstanceOf(ConnectError)
        }
      }),
      { numRuns: 20000 },
    )
  })

  it('keeps the digits of integers beyond 2^53', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        const read = fromJson(Int64ValueSchema, parseStrictJson(String(value)))
        expect(read.value).toBe(value)
      }),
    )
  })

  it.each<[string, unknown]>([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['1e19', 10000000000000000000n],
    ['1.8446744073709551615e19', 18446744073709551615n],
    ['1.50e1', 15],
    ['100e-2', 1],
    ['0.0', 0],
    ['0e5', 0],
    ['1.5', 1.5],
    ['1e-400', new Fraction(0)],
    ['1.00000000000000000001', new Fraction(1)],
    ['9007199254740993.5', new Fraction(9007199254740994)],
  ])('reads the number %s exactly', (text, value) => {
    expect(parseJsonTree(text)).toEqual(value)
  })

  it.each([
    ['{"a":1,"a":2}', 'line 1, column 8: duplicate key "a"'],
    ['{"a":{"b":1,"c":2,\n"b":3}}', 'line 2, column 1: duplicate key "b"'],
    ['{"__proto__":1,"__proto__":2}', 'duplicate key "__proto__"'],
    ['{"b":[{"a":1},{"a":1,"a":2}]}', 'line 1, column 22: duplicate key "a"'],
    [String.raw`{"a":1,"\u0061":2}`, 'line 1, column 8: duplicate key "a"'],
    [String.raw`{"x\"y":1,"z":"}","x\"y":2}`, String.raw`duplicate key "x\"y"`],
    ['{"":1,"b":{},"":2}', 'line 1, column 14: duplicate key ""'],
    ['[1,]', 'line 1, column 4: expected a value, found "]"'],
    ['', 'line 1, column 1: expected a value, found the end of the text'],
    ['"\\x"', 'unknown escape'],
    ['"\\u12g4"', 'four hexadecimal digits'],
    ['"\\udc00\\ud800"', 'lone surrogate'],
    ['"abc', 'unterminated string'],
    ['-', 'expected a digit after "-"'],
    ['1.', 'expected the end of a number'],
    ['tru', 'expected a value'],
    ['nullx', 'expected the end of the text'],
    ['{"a" 1}', 'expected ":"'],
    ['{a:1}', 'expected a key in quotes'],
    ['['.repeat(101), 'nested more than 100 levels deep'],
    ['1e999', 'number out of range'],
    [`1${'0'.repeat(400)}`, 'number out of range'],
  ])('refuses %s', (text, reason) => {
    expect(() => parseStrictJson(text)).toThrow(reason)
  })

  it('accepts keys that are names of built-in properties', () => {
    expect(parseStrictJson('{"__proto__":{"x":1},"constructor":2}')).toEqual(
      JSON.parse('{"__proto__":{"x":1},"constructor":2}'),
    )
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })

  it('reads 4 MiB of hostile input in linear time', () => {
    const size = 4 * 1024 * 1024
    expect(() => parseStrictJson('1'.repeat(size))).toThrow('number out of range')
    expect(() => parseStrictJson(`[${'1,'.repeat(size / 2)}`)).toThrow('expected a value')
    expect(() => parseStrictJson(`"${'\\n'.repeat(size / 2)}`)).toThrow('unterminated string')
    expect(() => parseStrictJson('\n'.repeat(size))).toThrow(`line ${size + 1}, column 1`)
  })
})

describe('a message from strict JSON', () => {
  it('names the invalid field', () => {
    const read = () => messageFromJson(messageType('Everything'), '{"leaf":{"next":{"tags":["a",{}]}}}')
    expect(read).toThrow('leaf.next.tags[1]: expected a string, got an object')
  })

  it('is equal to the message that was written', () => {
    expect(messageFromJson(messageType('Leaf'), '{"name":"a","next":{"count":2}}')).toMatchObject({
      $typeName: 'rest.test.v1.Leaf',
      name: 'a',
      next: { count: 2 },
    })
  })
})
