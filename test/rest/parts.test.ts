import { ScalarType } from '@bufbuild/protobuf'
import { ConnectError } from '@connectrpc/connect'
import { describe, expect, it } from '@jest/globals'
import { negotiateCoding, parseContentEncoding, parsePreferences } from '../../src/call/compression.js'
import { bodyTypeFromHeader, parseMediaType, prefersEventStream } from '../../src/call/content-type.js'
import { parseTimeout } from '../../src/call/deadline.js'
import { durationFromText, maskPathsFromText, timestampFromText } from '../../src/protojson/known-type-text.js'
import { bytesFromBase64, floatInRange, scalarFromText } from '../../src/protojson/scalar-text.js'
import { httpRuleFromBytes, httpRuleFromMethod } from '../../src/rest/http-rule.js'
import { decodeFormText, decodePercent } from '../../src/rest/percent.js'
import { parseRequestTarget } from '../../src/rest/transcoder.js'
import { defineService, ruleBytes } from './fixture.js'

describe('percent-decoding', () => {
  it.each([
    ['abc', 'abc', 'abc'],
    ['a%20b', 'a b', 'a b'],
    ['a+b', 'a+b', 'a+b'],
    ['%2F%2f/', '///', '%2F%2f/'],
    ['%252F', '%2F', '%2F'],
    ['%C3%BC%F0%9F%98%80', 'ü😀', 'ü😀'],
    ['\u00c3\u00bc', 'ü', 'ü'],
    ['%00', '\u0000', '\u0000'],
    ['%EF%BB%BFx', '\ufeffx', '\ufeffx'],
  ])('of %s gives %j, and %j if slashes are kept', (raw, whole, kept) => {
    expect(decodePercent(raw, 'x')).toBe(whole)
    expect(decodePercent(raw, 'x', true)).toBe(kept)
  })

  it.each(['%', '%2', '%zz', '%-1', '% 1', '%ff', '%C3', '%ED%A0%80', '%C0%80', '\u00ff'])(
    'of %s is refused',
    (raw) => {
      expect(() => decodePercent(raw, 'the-name')).toThrow(ConnectError)
      expect(() => decodePercent(raw, 'the-name')).toThrow('the-name: ')
    },
  )

  it('of a form reads a plus sign as a space', () => {
    expect(decodeFormText('a+b%2Bc', 'x')).toBe('a b+c')
  })
})

describe('a request target', () => {
  it.each([
    ['/a/b?c=d', '/a/b', 'c=d'],
    ['/a', '/a', ''],
    ['/a?', '/a', ''],
    ['/a?b?c', '/a', 'b?c'],
    ['/a#f', '/a', ''],
    ['/a?b#f?g', '/a', 'b'],
    ['http://h:80/a?b', '/a', 'b'],
    ['https://h', '/', ''],
    ['https://h?b', '/', 'b'],
    ['//h/a', '//h/a', ''],
    ['*', '*', ''],
    ['', '/', ''],
  ])('%s has the path %s and the query %j', (target, path, query) => {
    expect(parseRequestTarget(target)).toEqual({ path, query })
  })
})

describe('a content type', () => {
  it.each([
    [undefined, 'json'],
    ['application/json', 'json'],
    ['APPLICATION/JSON', 'json'],
    ['application/json;charset=utf-8', 'json'],
    ['application/json; charset="utf-8"; x=y', 'json'],
    [' application/json ; charset=UTF8 ', 'json'],
    ['application/x-www-form-urlencoded', 'form'],
    ['application/x-www-form-urlencoded; charset=utf-8', 'form'],
    ['application/json; charset=latin1', undefined],
    ['application/jsonp', undefined],
    ['application/merge-patch+json', undefined],
    ['multipart/form-data; boundary=x', undefined],
    ['text/plain', undefined],
    ['json', undefined],
    ['', undefined],
    ['application/json, application/json', undefined],
    ['application/json; charset', undefined],
  ])('%s is %s', (header, type) => {
    expect(bodyTypeFromHeader(header)).toBe(type)
  })

  it('keeps quoted parameters', () => {
    expect(parseMediaType('a/b; x="c;\\"d"; Y=e')?.parameters).toEqual(
      new Map([
        ['x', 'c;"d'],
        ['y', 'e'],
      ]),
    )
  })
})

describe('preferences', () => {
  it.each([
    ['text/event-stream', true],
    ['application/json, text/event-stream', true],
    ['text/event-stream;q=0.5, application/x-ndjson', false],
    ['text/event-stream;q=0', false],
    ['*/*', false],
    [undefined, false],
  ])('Accept %s asks for an event stream: %s', (header, events) => {
    expect(prefersEventStream(header)).toBe(events)
  })

  it('skip malformed entries', () => {
    expect(parsePreferences('a;q=0.5, ,b;Q=2;x, c; q = 1')).toEqual([
      { name: 'a', weight: 0.5 },
      { name: 'b', weight: 0 },
      { name: 'c', weight: 1 },
    ])
    expect(negotiateCoding('x-gzip')).toBe('gzip')
  })

  it.each([
    [undefined, undefined],
    ['identity', undefined],
    ['GZIP', 'gzip'],
    ['x-gzip, identity', 'gzip'],
    ['gzip, gzip', 'unsupported'],
    ['zstd', 'unsupported'],
  ])('Content-Encoding %s is %s', (header, coding) => {
    expect(parseContentEncoding(header)).toBe(coding)
  })
})

describe('a timeout', () => {
  it.each([
    ['connect-timeout-ms', '0', 0],
    ['connect-timeout-ms', '1500', 1500],
    ['grpc-timeout', '1H', 3_600_000],
    ['grpc-timeout', '2M', 120_000],
    ['grpc-timeout', '3S', 3000],
    ['grpc-timeout', '4m', 4],
    ['grpc-timeout', '5000u', 5],
    ['grpc-timeout', '6000000n', 6],
  ] as const)('of %s %s is %s ms', (name, value, expected) => {
    expect(parseTimeout(name, value)).toBeCloseTo(expected)
  })
})

describe('an HTTP rule', () => {
  it('is read from the bytes of a method option', () => {
    const rule = {
      custom: { kind: 'PURGE', path: '/a' },
      body: '*',
      responseBody: 'b',
      additional: [{ get: '/c' }, { put: '/d' }, { delete: '/e' }, { patch: '/f' }, { post: '/g' }],
    }
    const service = defineService({ A: { rule }, B: {} })
    const plain = { body: '', responseBody: '', additionalBindings: [] }
    expect(service.methods.map(httpRuleFromMethod)).toEqual([
      {
        method: 'PURGE',
        path: '/a',
        body: '*',
        responseBody: 'b',
        additionalBindings: [
          { ...plain, method: 'GET', path: '/c' },
          { ...plain, method: 'PUT', path: '/d' },
          { ...plain, method: 'DELETE', path: '/e' },
          { ...plain, method: 'PATCH', path: '/f' },
          { ...plain, method: 'POST', path: '/g' },
        ],
      },
      undefined,
    ])
  })

  it('ignores unknown fields', () => {
    const known = ruleBytes({ get: '/a' })
    expect(httpRuleFromBytes(Buffer.concat([Buffer.from([0x0a, 1, 0x78, 0x98, 6, 1]), known]))).toMatchObject({
      method: 'GET',
      path: '/a',
    })
  })
})

describe('scalars from text', () => {
  it.each([
    [ScalarType.INT32, '-2147483648', -2147483648],
    [ScalarType.UINT32, '4294967295', 4294967295],
    [ScalarType.SINT64, '-9223372036854775808', -9223372036854775808n],
    [ScalarType.FIXED64, '18446744073709551615', 18446744073709551615n],
    [ScalarType.INT32, '-0', 0],
    [ScalarType.INT64, '-0', 0n],
    [ScalarType.FLOAT, '3.4028235e38', 3.4028234663852886e38],
    [ScalarType.DOUBLE, '-1.7976931348623157e308', -1.7976931348623157e308],
    [ScalarType.DOUBLE, '1e-400', 0],
  ])('%s from %s', (type, text, value) => {
    expect(scalarFromText(type, text)).toBe(value)
  })

  it.each([
    [ScalarType.INT32, '-2147483649'],
    [ScalarType.UINT32, '-1'],
    [ScalarType.UINT32, '4294967296'],
    [ScalarType.INT64, '9223372036854775808'],
    [ScalarType.UINT64, '-1'],
    [ScalarType.INT32, '1.0'],
    [ScalarType.INT32, '1e3'],
    [ScalarType.INT32, '٣'],
    [ScalarType.INT32, '1n'],
    [ScalarType.INT32, '--1'],
    [ScalarType.FLOAT, '.5'],
    [ScalarType.FLOAT, '1.'],
    [ScalarType.FLOAT, '1e'],
    [ScalarType.FLOAT, '3.4028236e38'],
    [ScalarType.DOUBLE, 'nan'],
    [ScalarType.DOUBLE, '+1'],
    [ScalarType.DOUBLE, '-NaN'],
    [ScalarType.BOOL, 'True'],
    [ScalarType.BOOL, ''],
  ])('%s refuses %s', (type, text) => {
    expect(() => scalarFromText(type, text)).toThrow()
  })

  it('a float slightly above the maximum rounds to it', () => {
    expect(floatInRange(ScalarType.FLOAT, 3.4028235e38)).toBe(3.4028234663852886e38)
  })

  it.each([
    ['', []],
    ['AA', [0]],
    ['AA==', [0]],
    ['-_-_', [251, 255, 191]],
    ['+/+/', [251, 255, 191]],
  ])('base64 %j', (text, bytes) => {
    expect([...bytesFromBase64(text)]).toEqual(bytes)
  })

  it.each(['A', 'AA=', 'AAA==', '=', 'A A', 'AA==AA', 'ä'])('base64 refuses %j', (text) => {
    expect(() => bytesFromBase64(text)).toThrow('expected base64')
  })
})

describe('well-known types from text', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0n, 0],
    ['1969-12-31T23:59:59.999999999Z', -1n, 999_999_999],
    ['0001-01-01T00:00:00Z', -62135596800n, 0],
    ['9999-12-31T23:59:59.999999999Z', 253402300799n, 999_999_999],
    ['1970-01-01T08:00:01+08:00', 1n, 0],
    ['1969-12-31T16:00:01.5-08:00', 1n, 500_000_000],
    ['2000-02-29T00:00:00Z', 951782400n, 0],
  ])('the time %s', (text, seconds, nanos) => {
    expect(timestampFromText(text)).toEqual({ seconds, nanos })
  })

  it.each([
    '1970-01-01',
    '1970-01-01T00:00:00',
    '1970-01-01 00:00:00Z',
    '1970-01-01t00:00:00z',
    '1970-1-1T00:00:00Z',
    '1970-13-01T00:00:00Z',
    '1970-00-01T00:00:00Z',
    '1970-01-32T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '1970-01-01T00:60:00Z',
    '1970-01-01T00:00:60Z',
    '1970-01-01T00:00:00.Z',
    '1970-01-01T00:00:00.1234567890Z',
    '1970-01-01T00:00:00+24:00',
    '1970-01-01T00:00:00+0100',
    '10000-01-01T00:00:00Z',
    '0000-12-31T23:59:59Z',
    '9999-12-31T23:59:59-00:01',
    ' 1970-01-01T00:00:00Z',
  ])('the time %s is refused', (text) => {
    expect(() => timestampFromText(text)).toThrow()
  })

  it.each([
    ['0s', 0n, 0],
    ['1.5s', 1n, 500_000_000],
    ['-0.5s', 0n, -500_000_000],
    ['-1.000000001s', -1n, -1],
    ['315576000000s', 315576000000n, 0],
  ])('the duration %s', (text, seconds, nanos) => {
    expect(durationFromText(text)).toEqual({ seconds, nanos })
  })

  it.each(['', 's', '1', '1m', '1h', '1S', '+1s', '.5s', '1.s', '1.1234567890s', '1e3s', ' 1s', '315576000001s'])(
    'the duration %j is refused',
    (text) => {
      expect(() => durationFromText(text)).toThrow()
    },
  )

  it.each([
    ['', []],
    ['a', ['a']],
    ['fooBar,baz.quxQuux', ['foo_bar', 'baz.qux_quux']],
    ['foo_bar,baz.qux_quux', ['foo_bar', 'baz.qux_quux']],
    ['*', ['*']],
  ])('the mask %j', (text, paths) => {
    expect(maskPathsFromText(text, true)).toEqual(paths)
  })

  it.each(['a,', ',a', 'a..b', 'a b', 'a, b', 'a-b', '1a', 'a.*', 'line_1', 'a__b'])(
    'the mask %j is refused',
    (text) => {
      expect(() => maskPathsFromText(text, true)).toThrow()
    },
  )
})
