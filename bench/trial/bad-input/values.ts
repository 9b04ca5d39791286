import fc from 'fast-check'
import { fixture } from '../../../test/support/fixture.js'

const { users, groups, accessPolicies, appInstances, appResources, entityTypes, journeys, priorities } = fixture

/** Ids of the fixture, visible and hidden, and ids that nothing has. */
export const ids: readonly string[] = [
  ...[users, groups, accessPolicies, appInstances, appResources, entityTypes, journeys, priorities].flatMap((kind) =>
    Object.values<string>(kind),
  ),
  ...[fixture.acme, fixture.it, fixture.people, fixture.globexIt, fixture.ingestionConfigs.it],
  ...[
    '00000000-0000-7000-8000-000000000000',
    'nothing',
    '.',
    '..',
    '~',
    '-',
    ':republish',
    'a:b',
    '0',
    'x'.repeat(128),
  ],
]

/** Few, so that the requests of a long run do not fill the database. */
const addresses = Array.from({ length: 30 }, (_, index) => `fuzz.${index}@example.com`)

/** Texts that some reader along the way may not expect. */
export const nastyTexts: readonly string[] = [
  ...['', ' ', '\0', 'a\0b', '\u0001', '\u007f', '\u0085', '\u2028', '\ufeff', '\ufffd', '\uffff', '\t', '\r\n', '\n'],
  ...[
    '\ud800',
    'a\udfff',
    '\udc00\ud800',
    '\u{10ffff}',
    '\u{1f469}\u200d\u{1f680}',
    'e\u0301'.repeat(200),
    '\u202eabc',
  ],
  ...['İ', 'ı', 'ß', 'ſ', 'K', 'ﬀ', 'Ⅷ', '١٢٣', '𝟙𝟚', 'null', 'NaN', 'true', '-0', '1e999', '0x1F'],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '$ne',
    '{{7*7}}',
    '$(7)',
    '%00',
    '%',
    '%zz',
  ],
  ...[
    "'",
    '"',
    '\\',
    "'; DROP TABLE users; --",
    '" or "1"="1',
    '*',
    '?',
    '#',
    '&',
    '=',
    ';',
    '<script>',
    '../../etc/passwd',
  ],
  ...['a'.repeat(256), 'ä'.repeat(255), '😀'.repeat(255), 'a'.repeat(5000), '{'.repeat(300), '('.repeat(300)],
  ...['https://example.com/a.png', 'http://[::1]:99999/', 'https://', 'javascript:alert(1)', 'https://a@b@c/'],
  ...['https://example.com/\u0000', `https://example.com/${'a'.repeat(2100)}`, 'https://xn--a', 'https://‮.example/'],
  ...[
    'Europe/Berlin',
    'europe/berlin',
    'Etc/GMT+14',
    'UTC',
    'GMT0',
    '+25:00',
    'Europe/Berlin\0',
    'posixrules',
    'SystemV/AST4',
  ],
  ...[
    'en-US',
    'x-private',
    'i-klingon',
    'de-1996',
    'en-u-ca-buddhist',
    'zh-cmn-Hans-CN',
    'en-a-aaa-a-bbb',
    'root',
    'und',
  ],
  ...[
    '+49301234567',
    '+1 (202) 555-0123',
    '+999999999999999999',
    'tel:+1-201-555-0123;ext=5',
    '００４９３０',
    '+0',
    '911',
  ],
  ...[
    'a@b.c',
    '@',
    'a@',
    'a@b',
    'ä@example.com',
    'a@exämple.com',
    '"a b"@example.com',
    'a@[127.0.0.1]',
    'a@b..c',
    'A@EXAMPLE.COM',
  ],
  ...[
    '2026-01-31T09:05:00.000Z',
    '2026-02-30T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '+275760-09-13T00:00:00Z',
    '9999-12-31T23:59:60Z',
  ],
  ...['2026-01-31', '2026-01-31T09:05:00.123456789123Z', '2026-01-31T09:05:00-23:59', '-000001-01-01T00:00:00Z'],
]

/** A text for a field of any name. */
export function textFor(name: string): fc.Arbitrary<string> {
  const nasty = fc.constantFrom(...nastyTexts)
  const any = fc.oneof(
    nasty,
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
  )
  if (/email|userName/i.test(name)) return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...addresses) }, any)
  if (/id$/i.test(name)) return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...ids) }, any)
  return fc.oneof({ weight: 1, arbitrary: fc.constantFrom('Ada', 'Engines', 'hr', 'group') }, any)
}

/** Integers around every border. */
export const integers = fc.oneof(
  fc.constantFrom(...[0, 1, -1, 2, 50, 299, 300, 1000, 10_000, 10_001, 2592000, 2 ** 31 - 1, -(2 ** 31)]),
  fc.integer(),
)

/** Text of JSON that takes the place of a value. */
export const strayJson: readonly string[] = [
  ...[
    'null',
    'true',
    '0',
    '-0',
    '1.5',
    '1e999',
    '-1e999',
    '1e-999',
    '1e5',
    '100000000000000000000',
    '2147483648',
    '-2147483649',
  ],
  ...[
    '"1"',
    '"1e3"',
    '" 1"',
    '"0x1"',
    '"NaN"',
    '"Infinity"',
    '"-0"',
    '""',
    '[]',
    '{}',
    '[[]]',
    '[null]',
    '{"":null}',
    '[1,"a",{}]',
  ],
  ...['"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"a\\u0000b"', '"\\uD83D\\uDE00"', '{"\\ud800":1}', '"\\/"'],
  ...[
    'NaN',
    'Infinity',
    '-Infinity',
    '01',
    '-',
    '+1',
    '.5',
    '1.',
    '1e',
    '0x10',
    '1_000',
    "'a'",
    'undefined',
    'TRUE',
    'nul',
  ],
  ...[
    '"\u0001"',
    '"\n"',
    '"\t"',
    '"\\x41"',
    '"\\u12"',
    '"\\u{41}"',
    '"unended',
    '"',
    '',
    ' ',
    ',',
    ':',
    '}',
    ']',
    '[1,]',
    '{"a":1,}',
  ],
  ...['[1 2]', '{"a" 1}', '{"a":}', '{a:1}', '/**/1', '1//', '\u2028', '\ufeff1', '1,"id":1', '{"__proto__":{"a":1}}'],
  ...[
    '['.repeat(40) + ']'.repeat(40),
    '['.repeat(20_000),
    '{"a":'.repeat(5_000),
    `${'{"a":'.repeat(31)}1${'}'.repeat(31)}`,
  ],
  ...[
    `[${'0,'.repeat(26_000)}0]`,
    `"${'9'.repeat(3_000)}"`,
    '9'.repeat(3_000),
    `0.${'0'.repeat(3_000)}1`,
    `1e${'9'.repeat(400)}`,
  ],
  ...[
    '{"seconds":"9999999999999"}',
    '"9999999999.9s"',
    '{"year":0,"month":13,"day":32}',
    '{"@type":"type.googleapis.com/x"}',
  ],
]

/** Members that do not belong in an object. */
export const strayMembers: readonly string[] = [
  ...[
    '"unknown":1',
    '"":1',
    '"id":"a","id":"b"',
    '"id":"a","\\u0069d":"b"',
    '"__proto__":null',
    '"constructor":{}',
    '"toString":1',
  ],
  ...[
    '"\\u0000":1',
    '"\\ud800":1',
    '"a":1,"a":1',
    '"@type":"x"',
    '"$typeName":"svc.v2.User"',
    '"[svc.v2.access]":1',
    '"1":1',
  ],
  ...[
    '"page_size":1,"pageSize":1',
    '"pageSize":1,"page_size":2',
    '"data":{}',
    '"ID":"a"',
    '"id ":"a"',
    `"${'k'.repeat(9_000)}":1`,
  ],
]
