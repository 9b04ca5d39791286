import { create, toJson } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { ConnectError } from '@connectrpc/connect'
import { describe, expect, it } from '@jest/globals'
import { type FieldPath, findByProtoName, resolveFieldPath } from '../../src/rest/field-path.js'
import { bindParameters, type ParameterRules } from '../../src/rest/parameter-binder.js'
import { messageType } from './fixture.js'

const everything = messageType('Everything')

/** The JSON of a message into which the pairs are bound. */
function bound(encoded: string, rules: Partial<ParameterRules> = {}) {
  const message = create(everything)
  const all = { kind: 'query parameter', ignoreUnknown: false, maxPairs: 5, ...rules } as const
  bindParameters(reflect(everything, message), encoded, all)
  return toJson(everything, message)
}

function pathOf(...names: string[]): FieldPath {
  const resolved = resolveFieldPath(everything, names, findByProtoName)
  if (typeof resolved === 'string') throw new Error(resolved)
  return resolved
}

describe('pairs', () => {
  it.each([
    ['', {}],
    ['&', {}],
    ['id=a', { id: 'a' }],
    ['id=a&', { id: 'a' }],
    ['&&id=a&&i32=2&&', { id: 'a', i32: 2 }],
    ['id=a=b', { id: 'a=b' }],
    ['id', {}],
    ['opt', { opt: '' }],
    ['opt=&i32=7', { opt: '', i32: 7 }],
    ['i%33%32=7', { i32: 7 }],
    ['id=a%26b+c', { id: 'a&b c' }],
    ['opt_int=1', { optInt: 1 }],
    ['leaf.name=x&leaf.count=2', { leaf: { name: 'x', count: 2 } }],
    ['names=a&names=b&names=a', { names: ['a', 'b', 'a'] }],
    ['leaf.tags=a&leaf.tags=b', { leaf: { tags: ['a', 'b'] } }],
    ['id=a&i32=2&optInt=3&names=a&names=b', { id: 'a', i32: 2, optInt: 3, names: ['a', 'b'] }],
  ])('of %j bind %j', (encoded, json) => {
    expect(bound(encoded)).toEqual(json)
  })

  const leafName = pathOf('leaf', 'name')
  it.each<[encoded: string, error: string, options?: Partial<ParameterRules>]>([
    ['=a', 'query parameter "" is unknown: no field "" in'],
    ['nope=1', 'nope: query parameter "nope" is unknown: no field "nope" in'],
    ['nope=1', 'nope: form field "nope" is unknown', { kind: 'form field' }],
    ['leaf.nope=1', 'leaf.nope: query parameter "leaf.nope" is unknown: no field "nope" in'],
    ['nope=1', 'did you mean what I mean', { hint: () => 'did you mean what I mean' }],
    ['i32=x', 'i32: expected a decimal integer'],
    ['i32=x', 'i32: expected a decimal integer', { ignoreUnknown: true }],
    ['leaf.count=x', 'leaf.count: expected a decimal integer'],
    ['id=%', 'id: broken percent-encoding'],
    ['%=a', 'query parameter: broken percent-encoding'],
    ['id=a&id=a', 'id: query parameter "id" is given more than once'],
    ['i32=1&id=a&id=b', 'id: query parameter "id" is given more than once'],
    ['i32=1&id=a&optInt=2&id=b', 'id: query parameter "id" is given more than once'],
    ['i32=1&id=a&optInt=2&opt_int=2', 'opt_int: query parameter "opt_int" is given more than once'],
    ['id=a&id=b', 'id: query parameter "id" is given more than once', { mergeEqual: true }],
    ['id=&id=b', 'id: query parameter "id" is given more than once', { mergeEqual: true }],
    ['id=a&id=a', 'id: query parameter "id" is given more than once', { ignoreUnknown: true }],
    ['leaf.name=a&leaf.name=b', 'leaf.name: query parameter "leaf.name" is given more than once'],
    ['id=a', 'id: query parameter "id" belongs elsewhere', { closed: 'belongs elsewhere' }],
    ['nope=a', 'nope: query parameter "nope" is unknown', { closed: 'belongs elsewhere' }],
    [
      'leaf.name=a',
      'leaf.name: query parameter "leaf.name" is not accepted: it belongs in the path',
      { taken: [{ fields: leafName, by: 'the path' }] },
    ],
    [
      'leaf.name=a',
      'it belongs in the body',
      {
        taken: [
          { fields: pathOf('id'), by: 'the path' },
          { fields: pathOf('leaf', 'name'), by: 'the body' },
        ],
      },
    ],
    ['names=a&names=b&names=c', 'there are more than 2 query parameters', { maxPairs: 2 }],
    [
      'nope=1&nope=2&nope=3',
      'there are more than 2 form fields',
      { maxPairs: 2, kind: 'form field', ignoreUnknown: true },
    ],
    ['key=1&key=2&key=3', 'there are more than 2 query parameters', { maxPairs: 2, allowed: new Set(['key']) }],
  ])('of %j are refused: %s', (encoded, error, options = {}) => {
    expect(() => bound(encoded, options)).toThrow(ConnectError)
    expect(() => bound(encoded, options)).toThrow(error)
  })

  it.each<[encoded: string, options: Partial<ParameterRules>]>([
    ['id=a&nope=1&leaf.nope=2', { ignoreUnknown: true }],
    ['id=a&leaf.name=x', { ignoreUnknown: true, taken: [{ fields: leafName, by: 'the path' }] }],
    ['leaf.name=x&id=a', { ignoreUnknown: true, taken: [{ fields: leafName, by: 'the path' }] }],
    ['key=1&id=a&key=2', { allowed: new Set(['key']) }],
    ['id=a&nope=1', { maxPairs: 2, ignoreUnknown: true }],
    ['nope=%&id=a&nope=%ff&%=1&%ff=1&%zz', { maxPairs: 6, ignoreUnknown: true }],
    ['id=a&id=a&i%64=%61', { mergeEqual: true }],
  ])('of %j skip what binds nothing', (encoded, options) => {
    expect(bound(encoded, options)).toEqual({ id: 'a' })
  })

  it.each([
    ['id=a%26b+c', 'a&b c'],
    ['id=50%+off%zz%', '50% off%zz%'],
    ['id=%C3%BC', 'ü'],
    ['id=\xc3\xbc', 'ü'],
    ['id=f%FCr', 'f\u{fffd}r'],
    ['id=f\xfcr', 'f\u{fffd}r'],
    ['id=%', '%'],
  ])('of %j may have any bytes as the value of a form', (encoded, id) => {
    expect(bound(encoded, { kind: 'form field', anyText: true })).toEqual({ id })
  })

  it.each<[encoded: string, advice: string, options?: Partial<ParameterRules>]>([
    ['floatValu=1', 'did you mean "floatValue"?'],
    ['floatValu=1', 'f64, sf32, sf64, doubleValue, ', { taken: [{ fields: pathOf('float_value'), by: 'the path' }] }],
    ['leaf.nam=1', 'did you mean "name"?'],
    ['leaf.nam=1', 'use one of count, tags, next', { taken: [{ fields: leafName, by: 'the path' }] }],
    ['label=1', 'use one of id, '],
    ['names[]=1', 'write "names" without brackets, once for each value'],
    ['leaf[name]=1', 'write "leaf.name" without brackets'],
    ['leaf[tags][0]=1', 'write "leaf.tags" without brackets, once for each value'],
    ['nope[]=1', 'no field "nope[]" in'],
    ['numbers=1,2', 'give each value by itself, without commas'],
    ['times=2026-01-31T09:05:00+02:00', 'in a URL, write + as %2B'],
    ['nope=1', 'is not accepted', { closed: 'is not accepted' }],
  ])('with the unknown name %j are refused with a suggestion: %s', (encoded, advice, options = {}) => {
    expect(() => bound(encoded, options)).toThrow(advice)
  })

  it('above the limit are refused without naming one', () => {
    const refusal = { rawMessage: 'there are more than 5 query parameters' }
    expect(() => bound('names=a&'.repeat(6))).toThrow(expect.objectContaining(refusal))
  })

  it('are looked up each time', () => {
    let asked = 0
    const hint = () => `asked ${++asked} times`
    for (const times of [1, 2]) expect(() => bound('nope=1', { hint })).toThrow(`asked ${times} times`)
  })

  it('are bound independently by every call', () => {
    const rules = { maxPairs: 2 }
    for (const id of ['a', 'b', 'c']) expect(bound(`id=${id}&i32=1`, rules)).toEqual({ id, i32: 1 })
  })
})
