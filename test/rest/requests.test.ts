import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createRestTranscoder } from '../../src/rest/index.js'
import { defineService, echoRoutes, type MethodInit } from './fixture.js'
import { PROTOCOLS, startServer, type TestRequest, type TestServer } from './http.js'

// One field of a message that has a required one.
function demanding(field: string): MethodInit {
  const rule = { get: `/v1/demanding/${field}`, responseBody: field }
  return { rule, input: 'Demanding', output: 'Demanding' }
}

const service = defineService({
  Get: { rule: { get: '/v1/things/{id}' } },
  Archive: { rule: { post: '/v1/things/{id}:archive', body: '*' } },
  Create: { rule: { post: '/v1/things', body: '*' } },
  List: { rule: { get: '/v1/things' } },
  PutLeaf: { rule: { put: '/v1/things/{id}/leaf', body: 'leaf' } },
  PatchNested: { rule: { patch: '/v1/{leaf.name=leaves/*}', body: 'leaf' } },
  SetNames: { rule: { put: '/v1/things/{id}/names', body: 'names' } },
  SetLabels: { rule: { put: '/v1/things/{id}/labels', body: 'labels' } },
  SetCount: { rule: { put: '/v1/things/{id}/count', body: 'i64' } },
  SetText: { rule: { put: '/v1/things/{id}/text', body: 'opt' } },
  SetAt: { rule: { put: '/v1/things/{id}/at', body: 'at' } },
  SetWrapper: { rule: { put: '/v1/things/{id}/wrapper', body: 'int64_wrapper' } },
  SetValue: { rule: { put: '/v1/things/{id}/value', body: 'value' } },
  SetChoice: { rule: { put: '/v1/things/{id}/choice', body: 'choice_leaf' } },
  GetLeaf: { rule: { get: '/v1/things/{id}/leaf', responseBody: 'leaf' } },
  GetNames: { rule: { get: '/v1/things/{id}/names', responseBody: 'names' } },
  GetLabels: { rule: { get: '/v1/things/{id}/labels', responseBody: 'labels' } },
  GetCount: { rule: { get: '/v1/things/{id}/count', responseBody: 'i64' } },
  GetOpt: { rule: { get: '/v1/things/{id}/text', responseBody: 'opt' } },
  GetColor: { rule: { get: '/v1/things/{id}/color', responseBody: 'color' } },
  GetAt: { rule: { get: '/v1/things/{id}/at', responseBody: 'at' } },
  GetWrapper: { rule: { get: '/v1/things/{id}/wrapper', responseBody: 'int64_wrapper' } },
  GetChoice: { rule: { get: '/v1/things/{id}/choice', responseBody: 'choice_text' } },
  GetFile: { rule: { get: '/v1/files/{id=**}' } },
  Multi: {
    rule: {
      get: '/v1/{id=shelves/*/books/*}',
      additional: [{ get: '/v2/books/{id}' }, { post: '/v2/books', body: '*' }],
    },
  },
  PathInt: { rule: { get: '/v1/int/{i32}' } },
  PathLong: { rule: { get: '/v1/long/{i64}' } },
  PathColor: { rule: { get: '/v1/color/{color}' } },
  PathAt: { rule: { get: '/v1/at/{at}' } },
  PathChoice: { rule: { post: '/v1/choice/{choice_text}', body: '*' } },
  PathDeep: { rule: { post: '/v1/deep/{self.leaf.name}', body: '*' } },
  Purge: { rule: { custom: { kind: 'PURGE', path: '/v1/things/{id}' } } },
  Anything: { rule: { custom: { kind: '*', path: '/v1/any/{id}' } } },
  AnyGet: { rule: { get: '/v1/any/{id}', responseBody: 'id' } },
  Delete: { rule: { delete: '/v1/things/{id}' } },
  Upload: { rule: { post: '/v1/things/{id}/file', body: 'file' } },
  Download: { rule: { get: '/v1/things/{id}/file', responseBody: 'file' } },
  Raw: { rule: { post: '/v1/raw', body: '*' }, input: 'google.api.HttpBody', output: 'google.api.HttpBody' },
  Old: { rule: { get: '/v1/old', additional: [{ post: '/v1/old', body: '*' }] }, input: 'Old', output: 'Old' },
  Demanding: {
    rule: { get: '/v1/demanding', additional: [{ post: '/v1/demanding/{name}', body: '*' }] },
    input: 'Demanding',
    output: 'Demanding',
  },
  DemandingClosed: demanding('closed'),
  DemandingData: demanding('data'),
  DemandingRatio: demanding('ratio'),
  DemandingBig: demanding('big'),
  DemandingNext: demanding('next'),
  Instant: {
    rule: { get: '/v1/instant' },
    input: 'google.protobuf.Timestamp',
    output: 'google.protobuf.Timestamp',
  },
  Crossed: {
    rule: { get: '/v1/crossed', additional: [{ post: '/v1/crossed', body: '*' }] },
    input: 'Crossed',
    output: 'Crossed',
  },
  Unmapped: {},
})

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

interface Row {
  readonly name: string
  readonly request: TestRequest
  readonly status?: number
  readonly json?: unknown
  readonly text?: string
  /** What the message of an error says. */
  readonly error?: string
  readonly headers?: Record<string, string>
}

function get(target: string): TestRequest {
  return { target }
}

function send(
  method: string,
  target: string,
  body: string | Uint8Array,
  headers: TestRequest['headers'] = json,
): TestRequest {
  return { method, target, body, headers }
}

const ok = (name: string, request: TestRequest, value: unknown): Row => ({ name, request, json: value })
const bad = (name: string, request: TestRequest, error: string, status = 400): Row => ({ name, request, status, error })

const paths: Row[] = [
  ok('a variable is one segment', get('/v1/things/a'), { id: 'a' }),
  ok('one segment is decoded fully and once', get('/v1/things/a%2Fb%2520c%3A%C3%BC'), { id: 'a/b%20c:ü' }),
  ok('a plus sign in a path is itself', get('/v1/things/a+b'), { id: 'a+b' }),
  ok('several segments keep %2F and decode the rest', get('/v1/files/a%2Fb/c%20d%2fe/%3F'), { id: 'a%2Fb/c d%2fe/?' }),
  ok('** takes no segment at all', get('/v1/files'), {}),
  ok('** takes empty segments', get('/v1/files/a//b/'), { id: 'a//b/' }),
  ok('a variable captures its own literals', get('/v1/shelves/1/books/2'), { id: 'shelves/1/books/2' }),
  ok('an additional binding leads to the same method', get('/v2/books/x'), { id: 'x' }),
  ok('an additional binding has its own body', send('POST', '/v2/books', '{"id":"y"}'), { id: 'y' }),
  ok('a custom verb is cut off', send('POST', '/v1/things/a:archive', '{"flag":true}'), { id: 'a', flag: true }),
  ok('only the last colon can start a verb', send('POST', '/v1/things/a:b:archive', '{}'), { id: 'a:b' }),
  ok('a colon that starts no verb is data', get('/v1/things/a:b'), { id: 'a:b' }),
  ok('a verb of another method is data', get('/v1/things/a:archive'), { id: 'a:archive' }),
  ok('an encoded colon is data', get('/v1/things/a%3Aarchive'), { id: 'a:archive' }),
  ok('a literal may come percent-encoded', get('/v1/thin%67s/a'), { id: 'a' }),
  ok('an absolute target is taken', get('http://example.com/v1/things/a?flag=true'), { id: 'a', flag: true }),
  ok('an integer from the path', get('/v1/int/-5'), { i32: -5 }),
  ok('a 64-bit integer from the path', get('/v1/long/-9223372036854775808'), { i64: '-9223372036854775808' }),
  ok('an enum from the path by name', get('/v1/color/COLOR_RED'), { color: 'COLOR_RED' }),
  ok('an enum from the path by number', get('/v1/color/2'), { color: 'COLOR_BLUE' }),
  ok('a time from the path', get('/v1/at/2024-02-29T12:00:00.5%2B01:00'), { at: '2024-02-29T11:00:00.500Z' }),
  ok('a nested variable', send('POST', '/v1/deep/x', '{"self":{"flag":true}}'), {
    self: { flag: true, leaf: { name: 'x' } },
  }),
  bad('a trailing slash is another path', get('/v1/things/a/'), 'no such path', 404),
  bad('an empty segment is no value', get('/v1/things//leaf'), 'no such path', 404),
  bad('dots are not resolved', get('/v1/things/../things/a'), 'no such path', 404),
  bad('an unknown path', get('/v3'), 'no such path', 404),
  bad('a path is case-sensitive', get('/V1/things/a'), 'no such path', 404),
  bad('an integer out of range in the path', get('/v1/int/2147483648'), 'i32: 2147483648 is out of range for int32'),
  bad('text for an integer in the path', get('/v1/int/x'), 'i32: expected a decimal integer'),
  bad('an unknown enum name in the path', get('/v1/color/GREEN'), 'color: no value "GREEN"'),
  bad('broken percent-encoding in the path', get('/v1/things/%zz'), 'id: broken percent-encoding'),
  bad('a percent sign at the end', get('/v1/things/a%'), 'id: broken percent-encoding'),
  bad('bytes that are not UTF-8 in the path', get('/v1/things/%ff'), 'id: not valid UTF-8'),
]

const methods: Row[] = [
  {
    name: 'a wrong method names the right ones',
    request: { method: 'PUT', target: '/v1/things/a' },
    status: 405,
    error: 'PUT is not allowed here',
    headers: { allow: 'DELETE, GET, HEAD, OPTIONS, PURGE' },
  },
  {
    name: 'OPTIONS tells the methods',
    request: { method: 'OPTIONS', target: '/v1/things' },
    status: 204,
    text: '',
    headers: { allow: 'GET, HEAD, OPTIONS, POST' },
  },
  {
    name: 'the methods of a verb and of the path below it',
    request: { method: 'OPTIONS', target: '/v1/things/a:archive' },
    status: 204,
    headers: { allow: 'DELETE, GET, HEAD, OPTIONS, POST, PURGE' },
  },
  {
    name: 'OPTIONS * asks for the server alone',
    request: { method: 'OPTIONS', target: '*', body: '' },
    status: 204,
    text: '',
  },
  {
    name: 'HEAD is GET without a body',
    request: { method: 'HEAD', target: '/v1/things/a' },
    status: 200,
    text: '',
    headers: { 'content-length': '11', 'content-type': 'application/json' },
  },
  {
    name: 'HEAD of a bad request has its status',
    request: { method: 'HEAD', target: '/v1/int/x' },
    status: 400,
    text: '',
  },
  ok('a custom kind', { method: 'PURGE', target: '/v1/things/a' }, { id: 'a' }),
  ok('the kind * takes every method', { method: 'REPORT', target: '/v1/any/a' }, { id: 'a' }),
  ok('a named method wins over the kind *', get('/v1/any/a'), 'a'),
  bad(
    'a method without a rule has no path',
    send('POST', '/rest.test.v1.TestService/Unmapped', '{}'),
    'no such path',
    404,
  ),
]

const queries: Row[] = [
  ok('JSON names', get('/v1/things?i32=1&floatValue=1.5&optInt=0'), { i32: 1, floatValue: 1.5, optInt: 0 }),
  ok('proto names', get('/v1/things?float_value=1.5&opt_int=7'), { floatValue: 1.5, optInt: 7 }),
  ok('a json_name option and its proto name', get('/v1/things?otherName=x'), { otherName: 'x' }),
  ok('the proto name beside a json_name option', get('/v1/things?renamed=x'), { otherName: 'x' }),
  ok('plus and percent-encoding', get('/v1/things?id=a+b%2Bc%26d%3D'), { id: 'a b+c&d=' }),
  ok('an encoded name', get('/v1/things?le%61f%2Ename=x'), { leaf: { name: 'x' } }),
  ok('only the first = separates', get('/v1/things?id=a=b'), { id: 'a=b' }),
  ok('empty pairs are nothing', get('/v1/things?&&id=a&'), { id: 'a' }),
  ok('a name without a value is an empty value', get('/v1/things?opt'), { opt: '' }),
  ok('a question mark is data', get('/v1/things?id=a?b'), { id: 'a?b' }),
  ok('a repeated field by repetition', get('/v1/things?names=b&names=a&numbers=1&names='), {
    names: ['b', 'a', ''],
    numbers: [1],
  }),
  ok('repeated enums by name and number', get('/v1/things?colors=COLOR_RED&colors=2'), {
    colors: ['COLOR_RED', 'COLOR_BLUE'],
  }),
  ok('nested fields', get('/v1/things?leaf.name=a&leaf.count=2&leaf.tags=x&leaf.tags=y&leaf.next.next.name=z'), {
    leaf: { name: 'a', count: 2, tags: ['x', 'y'], next: { next: { name: 'z' } } },
  }),
  ok('a recursive message', get('/v1/things?self.self.opt_int=3'), { self: { self: { optInt: 3 } } }),
  ok('both bools', get('/v1/things?flag=true&boolWrapper=false'), { flag: true, boolWrapper: false }),
  ok(
    'the ends of all integer types',
    get(
      '/v1/things?i32=-2147483648&u32=4294967295&s32=2147483647&f32=0&sf32=-1&i64=9223372036854775807&u64=18446744073709551615&s64=-9223372036854775808&f64=1&sf64=-1',
    ),
    {
      i32: -2147483648,
      u32: 4294967295,
      s32: 2147483647,
      sf32: -1,
      i64: '9223372036854775807',
      u64: '18446744073709551615',
      s64: '-9223372036854775808',
      f64: '1',
      sf64: '-1',
    },
  ),
  ok('a 64-bit integer kept as a string', get('/v1/things?longText=9007199254740993'), {
    longText: '9007199254740993',
  }),
  ok('floats', get('/v1/things?floatValue=-1.5e3&doubleValue=NaN'), { floatValue: -1500, doubleValue: 'NaN' }),
  ok('infinity', get('/v1/things?floatValue=Infinity&doubleValue=-Infinity'), {
    floatValue: 'Infinity',
    doubleValue: '-Infinity',
  }),
  ok('bytes in the standard alphabet', get('/v1/things?data=%2B/%2B/AA=='), { data: '+/+/AA==' }),
  ok('bytes in the URL alphabet without padding', get('/v1/things?data=-_-_AA'), { data: '+/+/AA==' }),
  ok('wrappers', get('/v1/things?stringWrapper=&int32Wrapper=0&int64Wrapper=-1&doubleWrapper=0.5&bytesWrapper=AAE='), {
    stringWrapper: '',
    int32Wrapper: 0,
    int64Wrapper: '-1',
    doubleWrapper: 0.5,
    bytesWrapper: 'AAE=',
  }),
  ok('the value of a wrapper', get('/v1/things?int32Wrapper.value=4'), { int32Wrapper: 4 }),
  ok('a string wrapper keeps quotes', get('/v1/things?stringWrapper=%22a%22'), { stringWrapper: '"a"' }),
  ok('repeated wrappers and times', get('/v1/things?stringWrappers=a&stringWrappers=b&times=1970-01-01T00:00:01Z'), {
    stringWrappers: ['a', 'b'],
    times: ['1970-01-01T00:00:01Z'],
  }),
  ok('a duration', get('/v1/things?lasting=-1.5s'), { lasting: '-1.500s' }),
  ok('a field mask in JSON spelling', get('/v1/things?mask=floatValue,leaf.name'), { mask: 'floatValue,leaf.name' }),
  ok('a field mask in proto spelling', get('/v1/things?mask=float_value,leaf.name'), { mask: 'floatValue,leaf.name' }),
  ok('a member of a oneof', get('/v1/things?choiceNumber=0'), { choiceNumber: 0 }),
  ok('a message in a oneof', get('/v1/things?choiceLeaf.name=a&choiceLeaf.count=1'), {
    choiceLeaf: { name: 'a', count: 1 },
  }),
  ok('a wrapper in a oneof', get('/v1/things?choiceWrapped=5'), { choiceWrapped: '5' }),
  ok('an open enum takes any int32', get('/v1/things?color=99'), { color: 99 }),
  ok('a closed enum by name', get('/v1/old?closed=CLOSED_TWO&many=1'), { closed: 'CLOSED_TWO', many: ['CLOSED_ONE'] }),
  bad('a closed enum refuses unknown numbers', get('/v1/old?closed=3'), 'closed: no value 3'),
  ok('a JSON name before a proto name', get('/v1/crossed?b=10&a=20&c=30'), { b: 10, a: 20, d: 30 }),
  bad('a path without end', get(`/v1/things?${'self.'.repeat(2000)}id=a`), 'messages deep'),
  bad(
    'the inside of a time',
    get('/v1/things?at.seconds=99999999999999'),
    'at (google.protobuf.Timestamp) has no fields',
  ),
  bad('the inside of Any', get('/v1/things?any.typeUrl=x'), 'any (google.protobuf.Any) has no fields'),
  bad('the inside of a value', get('/v1/things?value.numberValue=NaN'), 'value (google.protobuf.Value) has no fields'),
  bad('the inside of a time that is the request', get('/v1/instant?nanos=-1'), 'has no fields of its own'),
  ok('a required field', get('/v1/demanding?name='), { name: '' }),
  bad('a required field that is missing', get('/v1/demanding?closed=1'), 'name: is required'),
  bad('a required field deep inside', get('/v1/demanding?name=a&next.next.name=b'), 'next.name: is required'),
  bad('an unknown parameter', get('/v1/things?nope=1'), 'nope: query parameter "nope" is unknown'),
  bad('an unknown nested parameter', get('/v1/things?leaf.nope=1'), 'leaf.nope'),
  bad('a field of a scalar', get('/v1/things?id.x=1'), 'id.x'),
  bad('a message as a whole', get('/v1/things?leaf=1'), 'leaf is a message'),
  bad('a map', get('/v1/things?labels=1'), 'labels is a map'),
  bad('a repeated message', get('/v1/things?leaves.name=a'), 'leaves is a repeated field'),
  bad('a struct', get('/v1/things?struct=%7B%7D'), 'struct'),
  bad('a singular field twice', get('/v1/things?i32=1&i32=1'), 'given more than once'),
  bad('a singular field twice in two spellings', get('/v1/things?optInt=1&opt_int=1'), 'given more than once'),
  bad('a field that the path binds', get('/v1/things/a?id=b'), 'bound by the path'),
  bad('a field that the body binds', send('PUT', '/v1/things/a/leaf?leaf.name=x', '{}'), 'bound by the body'),
  bad('any field under body *', send('POST', '/v1/things?flag=true', '{}'), 'cannot be given'),
  bad(
    'two members of a oneof',
    get('/v1/things?choiceText=a&choiceNumber=1'),
    'choiceNumber: choiceText and choiceNumber exclude each other: give one of them',
  ),
  bad('an empty integer', get('/v1/things?i32='), 'i32: expected a decimal integer'),
  bad('a hexadecimal integer', get('/v1/things?i32=0x10'), 'i32'),
  bad('a leading zero', get('/v1/things?i32=007'), 'i32'),
  bad('a leading plus', get('/v1/things?i32=%2B1'), 'i32'),
  bad('a fraction for an integer', get('/v1/things?i32=1.5'), 'i32'),
  bad('a space around an integer', get('/v1/things?i32=+1'), 'i32'),
  bad('a negative unsigned integer', get('/v1/things?u64=-1'), 'u64: -1 is out of range for uint64'),
  bad('64 bits and one', get('/v1/things?u64=18446744073709551616'), 'u64'),
  bad('a huge integer', get(`/v1/things?u64=${'9'.repeat(2000)}`), 'u64'),
  bad('a float too large for 32 bits', get('/v1/things?floatValue=3.5e38'), 'floatValue'),
  bad('a double too large', get('/v1/things?doubleValue=1e400'), 'doubleValue'),
  bad('a float in words', get('/v1/things?doubleValue=inf'), 'doubleValue'),
  bad('a bool in capitals', get('/v1/things?flag=TRUE'), 'flag: expected true or false'),
  bad('a bool as a number', get('/v1/things?flag=1'), 'flag'),
  bad('a bool without a value', get('/v1/things?flag'), 'flag'),
  bad('broken base64', get('/v1/things?data=A'), 'data: expected base64'),
  bad('base64 with wrong padding', get('/v1/things?data=AAA=='), 'data'),
  bad('30 February', get('/v1/things?at=2024-02-30T00:00:00Z'), 'at: no such time'),
  bad('29 February in a common year', get('/v1/things?at=2023-02-29T00:00:00Z'), 'at'),
  bad('a time without a zone', get('/v1/things?at=2024-02-01T00:00:00'), 'at'),
  bad('hour 24', get('/v1/things?at=2024-02-01T24:00:00Z'), 'at'),
  bad('year 0', get('/v1/things?at=0000-01-01T00:00:00Z'), 'at'),
  bad('a time before year 1 by its zone', get('/v1/things?at=0001-01-01T00:00:00%2B01:00'), 'at'),
  bad('a duration without a unit', get('/v1/things?lasting=5'), 'lasting'),
  bad('a duration with text behind', get('/v1/things?lasting=5sx'), 'lasting'),
  bad('a duration out of range', get('/v1/things?lasting=315576000001s'), 'lasting'),
  bad('a field mask that is no path', get('/v1/things?mask=a..b'), 'mask'),
  bad('broken percent-encoding in a value', get('/v1/things?id=%'), 'id: broken percent-encoding'),
  bad('broken percent-encoding in a name', get('/v1/things?%zz=1'), 'query parameter: broken percent-encoding'),
  bad('bytes that are not UTF-8 in a value', get('/v1/things?id=%ff'), 'id: not valid UTF-8'),
]

const EMPTY_IN_ANY = '{"any":{"@type":"type.googleapis.com/google.protobuf.Empty","value":{}}}'
const DEMANDING_IN_ANY = '{"any":{"@type":"type.googleapis.com/rest.test.v1.Demanding","name":"a","next":{}}}'

const bodies: Row[] = [
  ok(
    'body * is the whole message',
    send('POST', '/v1/things', '{"id":"a","leaf":{"name":"b"},"names":["c"],"labels":{"d":"e"}}'),
    { id: 'a', leaf: { name: 'b' }, names: ['c'], labels: { d: 'e' } },
  ),
  ok('proto names in a body', send('POST', '/v1/things', '{"float_value":1,"opt_int":2}'), {
    floatValue: 1,
    optInt: 2,
  }),
  ok('the path wins over the body', send('POST', '/v1/things/a:archive', '{"id":"b"}'), { id: 'a' }),
  ok('the path wins inside of the body field', send('PATCH', '/v1/leaves/1', '{"name":"x","count":2}'), {
    leaf: { name: 'leaves/1', count: 2 },
  }),
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
  ok('a bodyless method takes an empty object', send('DELETE', '/v1/things/a', ' {} '), { id: 'a' }),
  bad(
    'a bodyless method takes nothing else',
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
    'choiceNumber: choiceText and choiceNumber exclude each other: give one of them (oneof choice)',
  ),
  bad(
    'a oneof between path and body',
    send('POST', '/v1/choice/a', '{"choiceNumber":1}'),
    'choice_text: choiceNumber and choiceText exclude each other: give one of them',
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
  bad('a duration with text behind in a body', send('POST', '/v1/things', '{"lasting":"1sx"}'), 'lasting'),
  bad('a mask in proto spelling in a body', send('POST', '/v1/things', '{"mask":"float_value"}'), 'mask'),
  bad(
    'an unknown type in Any',
    send('POST', '/v1/things', '{"any":{"@type":"x/y"}}'),
    'any: "x/y" is not a known type',
  ),
  bad('not JSON', send('POST', '/v1/things', 'x'), 'invalid JSON at line 1, column 1'),
  bad('half a JSON', send('POST', '/v1/things', '{"id":\n "a"'), 'invalid JSON at line 2, column 5'),
  bad('text behind the JSON', send('POST', '/v1/things', '{} {}'), 'invalid JSON at line 1, column 4'),
  bad('a trailing comma', send('POST', '/v1/things', '{"id":"a",}'), 'invalid JSON'),
  bad('a comment', send('POST', '/v1/things', '{/**/}'), 'invalid JSON'),
  bad('single quotes', send('POST', '/v1/things', "{'id':1}"), 'invalid JSON'),
  bad('a leading zero in JSON', send('POST', '/v1/things', '{"i32":01}'), 'invalid JSON'),
  bad('NaN in JSON', send('POST', '/v1/things', '{"doubleValue":NaN}'), 'invalid JSON'),
  bad('a number beyond all doubles', send('POST', '/v1/things', '{"doubleValue":1e400}'), 'number out of range'),
  bad('a lone surrogate', send('POST', '/v1/things', '{"id":"\\ud800"}'), 'lone surrogate'),
  bad('a control character in a string', send('POST', '/v1/things', '{"id":"a\tb"}'), 'control character'),
  bad('a byte order mark', send('POST', '/v1/things', '\ufeff{}'), 'invalid JSON'),
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
  bad('brackets without end', send('POST', '/v1/things', '['.repeat(100000)), 'expected an object, got an array'),
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
  bad('an unknown field that holds what is no JSON', send('POST', '/v1/things', '{"nope":[[[}'), 'nope: no such field'),
  bad('an object for a text', send('POST', '/v1/things', '{"id":{"a":]'), 'id: expected a string, got an object'),
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

const responses: Row[] = [
  ok('a message as the response', get('/v1/things/a/leaf?leaf.name=b'), { name: 'b' }),
  ok('an unset message as the response', get('/v1/things/a/leaf'), {}),
  ok('a list as the response', get('/v1/things/a/names?names=x&names=y'), ['x', 'y']),
  ok('an empty list as the response', get('/v1/things/a/names'), []),
  ok('an empty map as the response', get('/v1/things/a/labels'), {}),
  ok('a 64-bit integer as the response', get('/v1/things/a/count?i64=9007199254740993'), '9007199254740993'),
  ok('zero as the response', get('/v1/things/a/count'), '0'),
  ok('a string as the response', get('/v1/things/a/text?opt=x'), 'x'),
  ok('an unset string as the response', get('/v1/things/a/text'), ''),
  ok('an enum as the response', get('/v1/things/a/color?color=1'), 'COLOR_RED'),
  ok('an unset enum as the response', get('/v1/things/a/color'), 'COLOR_UNSPECIFIED'),
  ok('an unset enum with a default as the response', get('/v1/demanding/closed?name=a'), 'CLOSED_TWO'),
  ok('unset bytes with a default as the response', get('/v1/demanding/data?name=a'), 'YWI='),
  ok('an unset double with a default as the response', get('/v1/demanding/ratio?name=a'), 'Infinity'),
  ok('an unset 64-bit integer with a default as the response', get('/v1/demanding/big?name=a'), '-9'),
  ok('a message beside a required field as the response', get('/v1/demanding/next?name=a&next.name=b'), { name: 'b' }),
  ok('a time as the response', get('/v1/things/a/at?at=2024-01-01T00:00:00Z'), '2024-01-01T00:00:00Z'),
  ok('an unset time as the response', get('/v1/things/a/at'), null),
  ok('a wrapper as the response', get('/v1/things/a/wrapper?int64Wrapper=5'), '5'),
  ok('a member of a oneof as the response', get('/v1/things/a/choice?choiceText=x'), 'x'),
  ok('a member that is not set as the response', get('/v1/things/a/choice?choiceNumber=1'), ''),
  ok(
    'raw bytes come in with the other parameters',
    send('POST', '/v1/things/a/file?flag=true', 'hello', { 'content-type': 'text/plain' }),
    { id: 'a', flag: true, file: { contentType: 'text/plain', data: 'aGVsbG8=' } },
  ),
  ok(
    'no raw bytes at all keep the type that was named',
    send('POST', '/v1/things/a/file', '', { 'content-type': 'text/plain' }),
    { id: 'a', file: { contentType: 'text/plain' } },
  ),
  {
    name: 'no raw bytes are echoed with their type',
    request: send('POST', '/v1/raw', '', { 'content-type': 'text/x-test' }),
    text: '',
    headers: { 'content-type': 'text/x-test' },
  },
  {
    name: 'raw bytes go out with their type',
    request: get('/v1/things/a/file?file.contentType=text/css&file.data=aGVsbG8'),
    text: 'hello',
    headers: { 'content-type': 'text/css', 'content-length': '5' },
  },
  {
    name: 'raw bytes are echoed whole',
    request: send('POST', '/v1/raw', 'hello', { 'content-type': 'text/x-test; a=b' }),
    text: 'hello',
    headers: { 'content-type': 'text/x-test; a=b' },
  },
]

for (const protocol of PROTOCOLS) {
  describe(protocol, () => {
    let server: TestServer
    beforeAll(async () => {
      server = await startServer(createRestTranscoder({ routes: echoRoutes(service) }), protocol)
    })
    afterAll(async () => server[Symbol.asyncDispose]())

    for (const [part, rows] of Object.entries({ paths, methods, queries, bodies, responses })) {
      describe(part, () => {
        it.each(rows)('$name', async (row) => {
          // HTTP/2 has no absolute form of its target.
          if (protocol === 'HTTP/2' && row.request.target.startsWith('http')) return expect(row.status ?? 200).toBe(200)
          const response = await server.send(row.request)
          expect({ status: response.status, text: response.text }).toMatchObject({ status: row.status ?? 200 })
          if (row.json !== undefined) expect(JSON.parse(response.text)).toEqual(row.json)
          if (row.text !== undefined) expect(response.text).toBe(row.text)
          if (row.headers !== undefined) expect(response.headers).toMatchObject(row.headers)
          if (row.error !== undefined) {
            expect(response.headers['content-type']).toBe('application/json')
            const code = { 400: 'invalid_argument', 404: 'not_found', 405: 'unimplemented', 415: 'invalid_argument' }
            expect(JSON.parse(response.text)).toMatchObject({
              code: code[response.status as keyof typeof code],
              message: expect.stringContaining(row.error),
            })
          }
        })
      })
    }
  })
}
