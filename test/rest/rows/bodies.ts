import { bad, form, json, ok, type Row, send } from './row.js'

const EMPTY_IN_ANY = '{"any":{"@type":"type.googleapis.com/google.protobuf.Empty","value":{}}}'
const DEMANDING_IN_ANY = '{"any":{"@type":"type.googleapis.com/rest.test.v1.Demanding","name":"a","next":{}}}'

export const bodies: readonly Row[] = [
  ok(
    'body * is the whole message',
    send('POST', '/v1/things', '{"id":"a","leaf":{"name":"b"},"names":["c"],"labels":{"d":"e"}}'),
    { id: 'a', leaf: { name: 'b' }, names: ['c'], labels: { d: 'e' } },
  ),
  ok('proto names in a body', send('POST', '/v1/things', '{"float_value":1,"opt_int":2}'), {
    floatValue: 1,
    optInt: 2,
  }),
  bad(
    'a body that differs from the path',
    send('POST', '/v1/things/a:archive', '{"id":"b"}'),
    'id: differs from the path: omit it from the body, or send the same value as in the path',
  ),
  bad(
    'a body field that differs from the path',
    send('PATCH', '/v1/leaves/1', '{"name":"x","count":2}'),
    'leaf.name: differs from the path',
  ),
  ok('the query fills what the body does not', send('PATCH', '/v1/leaves/1?flag=true', '{"count":2}'), {
    flag: true,
    leaf: { name: 'leaves/1', count: 2 },
  }),
  ok(
    'an empty body is an empty message',
    { method: 'POST', target: '/v1/things', headers: { 'content-length': 0 } },
    {},
  ),
  ok('no body at all', { method: 'POST', target: '/v1/things' }, {}),
  ok('a body without a content type is JSON', send('POST', '/v1/things', '{"id":"a"}', {}), { id: 'a' }),
  ok('a charset', send('POST', '/v1/things', '{"id":"ü"}', { 'content-type': 'Application/JSON; charset="UTF-8"' }), {
    id: 'ü',
  }),
  ok('a body that is one message', send('PUT', '/v1/things/a/leaf', '{"name":"b"}'), { id: 'a', leaf: { name: 'b' } }),
  ok('a body that is a list', send('PUT', '/v1/things/a/names', '["x","y"]'), { id: 'a', names: ['x', 'y'] }),
  ok('a body that is a map', send('PUT', '/v1/things/a/labels', '{"x":"y"}'), { id: 'a', labels: { x: 'y' } }),
  ok('a body that is a number', send('PUT', '/v1/things/a/count', '9007199254740993'), {
    id: 'a',
    i64: '9007199254740993',
  }),
  ok('a body that is a string', send('PUT', '/v1/things/a/text', '"x"'), { id: 'a', opt: 'x' }),
  ok('a body that is a time', send('PUT', '/v1/things/a/at', '"2024-01-01T00:00:00Z"'), {
    id: 'a',
    at: '2024-01-01T00:00:00Z',
  }),
  ok('a body that is a wrapper', send('PUT', '/v1/things/a/wrapper', '"5"'), { id: 'a', int64Wrapper: '5' }),
  ok('a body that is any value', send('PUT', '/v1/things/a/value', '[1,null,{"a":"b"}]'), {
    id: 'a',
    value: [1, null, { a: 'b' }],
  }),
  ok('a null that is a value', send('PUT', '/v1/things/a/value', 'null'), { id: 'a', value: null }),
  ok('a body that is a member of a oneof', send('PUT', '/v1/things/a/choice', '{"name":"b"}'), {
    id: 'a',
    choiceLeaf: { name: 'b' },
  }),
  ok('a null body field is not given', send('PUT', '/v1/things/a/leaf', 'null'), { id: 'a' }),
  ok(
    'null means not given',
    send(
      'POST',
      '/v1/things',
      '{"id":null,"leaf":null,"names":null,"labels":null,"choiceText":null,"choiceNumber":3,"int32Wrapper":null,"color":null}',
    ),
    { choiceNumber: 3 },
  ),
  ok('null for Value and NullValue is a value', send('POST', '/v1/things', '{"value":null}'), { value: null }),
  ok(
    'integers beyond 2^53 keep their digits',
    send(
      'POST',
      '/v1/things',
      '{"i64":9223372036854775807,"u64":18446744073709551615,"longs":[9007199254740993,"-9007199254740993"]}',
    ),
    { i64: '9223372036854775807', u64: '18446744073709551615', longs: ['9007199254740993', '-9007199254740993'] },
  ),
  ok(
    'integers in other spellings',
    send('POST', '/v1/things', '{"i32":1.0,"u32":1e3,"s32":"7","i64":"1e3","u64":1.8446744073709551615e19}'),
    { i32: 1, u32: 1000, s32: 7, i64: '1000', u64: '18446744073709551615' },
  ),
  ok(
    'a large integer for a double',
    send('POST', '/v1/things', '{"doubleValue":12345678901234567890,"value":12345678901234567890}'),
    { doubleValue: 12345678901234567000, value: 12345678901234567000 },
  ),
  ok('floats as strings', send('POST', '/v1/things', '{"doubleValue":"NaN","floatValue":"1.5"}'), {
    doubleValue: 'NaN',
    floatValue: 1.5,
  }),
  ok(
    'well-known types',
    send(
      'POST',
      '/v1/things',
      '{"at":"2024-01-01T00:00:00Z","lasting":"1.5s","mask":"floatValue","struct":{"a":[1,{"b":null}]},"list":[1,"x"],"empty":{},"bytesWrapper":"AA=="}',
    ),
    {
      at: '2024-01-01T00:00:00Z',
      lasting: '1.500s',
      mask: 'floatValue',
      struct: { a: [1, { b: null }] },
      list: [1, 'x'],
      empty: {},
      bytesWrapper: 'AA==',
    },
  ),
  ok(
    'Any of a message and of a well-known type',
    send('POST', '/v1/things', '{"any":{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1s"}}'),
    { any: { '@type': 'type.googleapis.com/google.protobuf.Duration', value: '1s' } },
  ),
  ok(
    'Any of an own message',
    send('POST', '/v1/things', '{"any":{"@type":"type.googleapis.com/rest.test.v1.Leaf","name":"a"}}'),
    { any: { '@type': 'type.googleapis.com/rest.test.v1.Leaf', name: 'a' } },
  ),
  ok('a JSON name before a proto name in a body', send('POST', '/v1/crossed', '{"b":10,"a":20,"c":30}'), {
    b: 10,
    a: 20,
    d: 30,
  }),
  ok('an extension', send('POST', '/v1/old', '{"[rest.test.v1.extra]":9007199254740993}'), {
    '[rest.test.v1.extra]': '9007199254740993',
  }),
  bad('a bad extension', send('POST', '/v1/old', '{"[rest.test.v1.extra]":true}'), '[rest.test.v1.extra]: '),
  bad(
    'an unknown extension',
    send('POST', '/v1/old', '{"[rest.test.v1.none]":1}'),
    '[rest.test.v1.none]: no such field',
  ),
  ok('the longest durations', send('POST', '/v1/things', '{"lasting":"-315576000000.999999999s"}'), {
    lasting: '-315576000000.999999999s',
  }),
  ok(
    'map keys of all kinds',
    send(
      'POST',
      '/v1/things',
      '{"leafById":{"-5":{"name":"a"}},"colorByFlag":{"true":"COLOR_RED","false":2},"labels":{"__proto__":"x","constructor":"y"}}',
    ),
    JSON.parse(
      '{"leafById":{"-5":{"name":"a"}},"colorByFlag":{"true":"COLOR_RED","false":"COLOR_BLUE"},"labels":{"__proto__":"x","constructor":"y"}}',
    ),
  ),
  ok('an escaped key', send('POST', '/v1/things', '{"\\u0069d":"a"}'), { id: 'a' }),
  ok('a form', send('POST', '/v1/things', 'id=a+b&names=x&names=y&leaf.name=%C3%BC&opt_int=4', form), {
    id: 'a b',
    names: ['x', 'y'],
    leaf: { name: 'ü' },
    optInt: 4,
  }),
  ok('a form of very many pairs without a value', send('PUT', '/v1/things/a/leaf', 'tags&'.repeat(25_000), form), {
    id: 'a',
    leaf: { tags: Array(25_000).fill('') },
  }),
  ok('a form for a body field', send('PUT', '/v1/things/a/leaf', 'name=b&tags=c', form), {
    id: 'a',
    leaf: { name: 'b', tags: ['c'] },
  }),
  ok('Any of an Empty, with its value or without', send('POST', '/v1/things', EMPTY_IN_ANY), {
    any: { '@type': 'type.googleapis.com/google.protobuf.Empty' },
  }),
  ok('a required field from the path', send('POST', '/v1/demanding/a', '{"items":[{"name":"b"}]}'), {
    name: 'a',
    items: [{ name: 'b' }],
  }),
  bad(
    'a required field missing in a list',
    send('POST', '/v1/demanding/a', '{"items":[{"name":"b"},{}]}'),
    'items[1].name: is required',
  ),
  bad(
    'a required field missing in a map',
    send('POST', '/v1/demanding/a', '{"byKey":{"k":{}}}'),
    'byKey.k.name: is required',
  ),
  bad('a required field missing in Any', send('POST', '/v1/things', DEMANDING_IN_ANY), 'any.next.name: is required'),
  ok('a bodyless method accepts an empty object', send('DELETE', '/v1/things/a', ' {} '), { id: 'a' }),
  bad(
    'a bodyless method accepts nothing else',
    send('DELETE', '/v1/things/a', '{"flag":true}'),
    'body: this method takes no body',
  ),
  bad('an unknown field', send('POST', '/v1/things', '{"leaf":{"nope":1}}'), 'leaf.nope: no such field'),
  bad('a duplicate key', send('POST', '/v1/things', '{"id":"a","id":"b"}'), 'duplicate key "id"'),
  bad(
    'a duplicate key deep inside',
    send('POST', '/v1/things', '{"struct":{"a":{"b":1,"\\u0062":2}}}'),
    'duplicate key "b"',
  ),
  bad(
    'a field under both of its names',
    send('POST', '/v1/things', '{"optInt":1,"opt_int":1}'),
    'opt_int: given twice',
  ),
  bad(
    'two members of a oneof in a body',
    send('POST', '/v1/things', '{"choiceText":"a","choiceNumber":1}'),
    'choiceNumber: choiceText and choiceNumber cannot both be set: set one of them (oneof choice)',
  ),
  bad(
    'a oneof between path and body',
    send('POST', '/v1/choice/a', '{"choiceNumber":1}'),
    'choice_text: choiceNumber and choiceText cannot both be set: set one of them',
  ),
  bad(
    'a wrong type',
    send('POST', '/v1/things', '{"leaf":{"tags":["a",1]}}'),
    'leaf.tags[1]: expected a string, got 1',
  ),
  bad('a number for a bool', send('POST', '/v1/things', '{"flag":1}'), 'flag: expected true or false'),
  bad('a string for a bool', send('POST', '/v1/things', '{"flag":"true"}'), 'flag'),
  bad('a bool for a number', send('POST', '/v1/things', '{"i32":true}'), 'i32: expected an integer'),
  bad('a fraction for an integer in a body', send('POST', '/v1/things', '{"i32":1.5}'), 'i32'),
  bad('a fraction that a double cannot hold', send('POST', '/v1/things', '{"i64":9007199254740993.5}'), 'i64'),
  bad(
    'an integer out of range in a body',
    send('POST', '/v1/things', '{"u32":4294967296}'),
    'u32: 4294967296 is out of range',
  ),
  bad('hexadecimal text in a body', send('POST', '/v1/things', '{"i32":"0x10"}'), 'i32'),
  bad('text with a space in a body', send('POST', '/v1/things', '{"i32":" 1"}'), 'i32'),
  bad(
    'an unknown enum name in a body',
    send('POST', '/v1/things', '{"colors":["COLOR_RED","GREEN"]}'),
    'colors[1]: no value "GREEN"',
  ),
  bad('null in a list', send('POST', '/v1/things', '{"names":["a",null]}'), 'names[1]: null'),
  bad('null in a list that is the body', send('PUT', '/v1/things/a/names', '["a",null]'), 'names[1]: null'),
  bad('null in a map', send('POST', '/v1/things', '{"labels":{"a":null}}'), 'labels.a: null'),
  bad('a list for a message', send('POST', '/v1/things', '{"leaf":[]}'), 'leaf: expected an object, got an array'),
  bad('a list as the whole', send('POST', '/v1/things', '[]'), 'body: expected an object, got an array'),
  bad('null as the whole', send('POST', '/v1/things', 'null'), 'body: expected an object'),
  bad('a map key out of range', send('POST', '/v1/things', '{"leafById":{"x":{}}}'), 'leafById.x'),
  bad('30 February in a body', send('POST', '/v1/things', '{"at":"2024-02-30T00:00:00Z"}'), 'at: no such time'),
  bad('a duration with trailing text in a body', send('POST', '/v1/things', '{"lasting":"1sx"}'), 'lasting'),
  bad('a mask in proto spelling in a body', send('POST', '/v1/things', '{"mask":"float_value"}'), 'mask'),
  bad(
    'an unknown type in Any',
    send('POST', '/v1/things', '{"any":{"@type":"x/y"}}'),
    'any: "x/y" is not a known type',
  ),
  bad('not JSON', send('POST', '/v1/things', 'x'), 'invalid JSON at line 1, column 1'),
  bad('half a JSON', send('POST', '/v1/things', '{"id":\n "a"'), 'invalid JSON at line 2, column 5'),
  bad('text after the JSON', send('POST', '/v1/things', '{} {}'), 'invalid JSON at line 1, column 4'),
  bad('a trailing comma', send('POST', '/v1/things', '{"id":"a",}'), 'invalid JSON'),
  bad('a comment', send('POST', '/v1/things', '{/**/}'), 'invalid JSON'),
  bad('single quotes', send('POST', '/v1/things', "{'id':1}"), 'invalid JSON'),
  bad('a leading zero in JSON', send('POST', '/v1/things', '{"i32":01}'), 'invalid JSON'),
  bad('NaN in JSON', send('POST', '/v1/things', '{"doubleValue":NaN}'), 'invalid JSON'),
  bad('a number beyond all doubles', send('POST', '/v1/things', '{"doubleValue":1e400}'), 'number out of range'),
  bad('a lone surrogate', send('POST', '/v1/things', '{"id":"\\ud800"}'), 'lone surrogate'),
  bad('a control character in a string', send('POST', '/v1/things', '{"id":"a\tb"}'), 'control character'),
  bad('a byte order mark', send('POST', '/v1/things', '\ufeff{}'), 'found a byte order mark: send UTF-8 without one'),
  bad(
    'bytes that are not UTF-8 in a body',
    send('POST', '/v1/things', Buffer.from([0x22, 0xff, 0x22])),
    'not valid UTF-8',
  ),
  bad(
    'nesting without end',
    send('POST', '/v1/things', `{"struct":${'{"a":'.repeat(5000)}1${'}'.repeat(5001)}`),
    'levels deep',
  ),
  bad('brackets without end', send('POST', '/v1/things', '['.repeat(100000)), 'nested more than 100 levels deep'),
  bad(
    'a form of more pairs than are taken',
    send('PUT', '/v1/things/a/leaf', 'tags&'.repeat(25_001), form),
    'there are more than 25000 form fields',
  ),
  bad(
    'more values than are taken',
    send('POST', '/v1/things', `{"leaf":{"tags":[${'"",'.repeat(24_999)}""]}}`),
    'leaf.tags[24998]: there are more than 25000 values',
  ),
  ok('values of no schema as deep as they may be', send('POST', '/v1/things', nested(32)), {
    value: JSON.parse(nested(32)).value,
  }),
  bad('values of no schema that are deeper', send('POST', '/v1/things', nested(33)), 'nest more than 32 levels deep'),
  bad(
    'an unknown field with invalid JSON',
    send('POST', '/v1/things', '{"nope":[[[}'),
    'invalid JSON at line 1, column 12',
  ),
  bad('an object for a text', send('POST', '/v1/things', '{"id":{"a":]'), 'invalid JSON at line 1, column 12'),
  bad('an unknown form field', send('POST', '/v1/things', 'nope=1', form), 'nope: form field "nope" is unknown'),
  bad('a form field twice', send('POST', '/v1/things', 'id=a&id=b', form), 'given more than once'),
  bad(
    'another content type',
    send('POST', '/v1/things', '<a/>', { 'content-type': 'application/xml' }),
    'content-type application/xml',
    415,
  ),
  bad(
    'another charset',
    send('POST', '/v1/things', '{}', { 'content-type': 'application/json; charset=utf-16' }),
    'content-type',
    415,
  ),
  bad('a malformed content type', send('POST', '/v1/things', '{}', { 'content-type': 'json' }), 'content-type', 415),
  bad('a form for a list', send('PUT', '/v1/things/a/names', 'names=a', form), 'content-type', 415),
  bad(
    'an unknown content encoding',
    send('POST', '/v1/things', '{}', { ...json, 'content-encoding': 'compress' }),
    'content-encoding',
    415,
  ),
]

/** A field `value` whose lists nest so deep. */
function nested(levels: number): string {
  return `{"value":${'['.repeat(levels)}${']'.repeat(levels)}}`
}
