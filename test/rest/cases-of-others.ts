import type { RuleInit } from './fixture.js'
import type { TestRequest } from './http.js'
import { form, get, json, send } from './rows/row.js'

/**
 * What the tests of grpc-gateway (9648db43) and vanguard-go (ee25c3a) expect, on the messages of `proto`: whether a
 * template is one, and what becomes of a request. What they try on a part of a template or of a request is here a whole
 * one. Left out are options that `google/api/http.proto` does not know, types that `Everything` has no field of, and how
 * they print messages.
 */
export type Project = 'grpc-gateway' | 'vanguard-go'

/** Templates, and what each matches without the names of its variables, encoded as here; null for those refused. */
export const templates: readonly (readonly [Project, string, string | null])[] = [
  ['grpc-gateway', '/v1', '/v1'],
  ['grpc-gateway', '/v1/b', '/v1/b'],
  ['grpc-gateway', '/v1/endpoint/*', '/v1/endpoint/*'],
  ['grpc-gateway', '/v1/endpoint/**', '/v1/endpoint/**'],
  ['grpc-gateway', '/v1/b/{bucket_name=*}', '/v1/b/*'],
  ['grpc-gateway', '/v1/b/{bucket_name=buckets/*}', '/v1/b/buckets/*'],
  ['grpc-gateway', '/v1/b/{bucket_name=buckets/*}/o', '/v1/b/buckets/*/o'],
  ['grpc-gateway', '/v1/b/{bucket_name=buckets/*}/o/{name}', '/v1/b/buckets/*/o/*'],
  ['grpc-gateway', '/v1/a=b&c=d;e=f:g/endpoint.rdf', '/v1/a=b&c=d;e=f:g/endpoint.rdf'],
  ['grpc-gateway', '/v1/a/{endpoint}:a', '/v1/a/*:a'],
  ['grpc-gateway', '/v1/a/{endpoint}:b:c', '/v1/a/*:b:c'],
  ['grpc-gateway', '/', '/'],
  ['grpc-gateway', "/-._~!$&'()*+,;=:@", "/-._~!$&'()*+,;=:@"],
  ['grpc-gateway', '/%e7%ac%ac%e4%b8%80%e7%89%88', '/%E7%AC%AC%E4%B8%80%E7%89%88'],
  ['grpc-gateway', '/{name}', '/*'],
  ['grpc-gateway', '/{field.nested.nested2=*}', '/*'],
  ['grpc-gateway', '/{name=a/b/*}', '/a/b/*'],
  ['grpc-gateway', '/v1/{name.nested=a/b/*}/o/{other=a/b/*/c}/**', '/v1/a/b/*/o/a/b/*/c/**'],
  ['grpc-gateway', '/v1/{name}:bla:baa', '/v1/*:bla:baa'],
  ['grpc-gateway', '/v1/{name}:', '/v1/*'],
  ['grpc-gateway', '/v1/{name=segment/wi:th}', '/v1/segment/wi:th'],
  ['grpc-gateway', '/**/tail', '/**/tail'],
  ['grpc-gateway', '/v1/{name=o/**/.ext}/tail', '/v1/o/**/.ext/tail'],
  ['grpc-gateway', '/v1/{bucket}/do:action', '/v1/*/do:action'],
  ['grpc-gateway', 'v1/{name}', null],
  ['grpc-gateway', 'v1/b/:name/do', null],
  ['grpc-gateway', '//', null],
  ['grpc-gateway', '/a?b', null],
  ['grpc-gateway', '/%', null],
  ['grpc-gateway', '/%2', null],
  ['grpc-gateway', '/a%2z', null],
  ['grpc-gateway', '/{name', null],
  ['grpc-gateway', '/{name=', null],
  ['grpc-gateway', '/{name=*', null],
  ['grpc-gateway', '/{name.}', null],
  ['grpc-gateway', '/{name..nested}', null],
  ['grpc-gateway', '/{field-name}', null],
  ['grpc-gateway', '/v1{name}', null],
  ['vanguard-go', '/a%2fb~c%2Cd%5Be%5D/{x={y=%2F%2A}/{z=%2F%2A/**}}:f', '/a%2Fb~c%2Cd%5Be%5D/%2F%2A/%2F%2A/**:f'],
  ['vanguard-go', '/{1}', null],
  ['vanguard-go', '/{field.1}', null],
  ['vanguard-go', '/{_}', '/*'],
  ['vanguard-go', '/{-}', null],
  ['vanguard-go', '/{field-}', null],
  ['vanguard-go', '/foo/bar/baz?abc=def', null],
  ['vanguard-go', '/foo/bar/baz buzz', null],
  ['vanguard-go', 'foo/bar/baz', null],
  ['vanguard-go', '/foo/bar/', null],
  ['vanguard-go', '/foo/bar:baz/buzz', null],
  ['vanguard-go', '/foo/{bar/baz}/buzz', null],
  ['vanguard-go', '/foo/bar:baz%12xyz%abcde', '/foo/bar:baz%12xyz%ABcde'],
  ['vanguard-go', '/{hello}/world', '/*/world'],
  ['vanguard-go', '/foo/bar%55:baz%1', null],
  ['vanguard-go', '/foo/bar*', null],
  ['vanguard-go', '/foo/bar/***', null],
  ['vanguard-go', '/foo/**/bar', null],
  ['vanguard-go', '/f/bar', '/f/bar'],
  ['vanguard-go', '/v1/{parent=shelves/*}/books', '/v1/shelves/*/books'],
  ['vanguard-go', '/v1/{book.name=shelves/*/books/*}', '/v1/shelves/*/books/*'],
  ['vanguard-go', '/v1:watch', '/v1:watch'],
  ['vanguard-go', '/v3/{name=events/*}:cancel', '/v3/events/*:cancel'],
  ['vanguard-go', '/foo/bar/{name}/baz/{child.id}/buzz/{child.thing.id}', '/foo/bar/*/baz/*/buzz/*'],
  ['vanguard-go', '/foo/bar/*/{thing.id}/{cat=**}:do', '/foo/bar/*/*/**:do'],
  ['vanguard-go', '/foo/bob/{book_id={author}/{isbn}/*}/details', '/foo/bob/*/*/*/details'],
  ['vanguard-go', '/foo%2Fbar/%2A/%2A%2a/{x=%2A%2a/**}:%2c', '/foo%2Fbar/%2A/%2A%2A/%2A%2A/**:,'],
]

/** The rule that a request leads to, by its place, and the message; or the status of a refusal. */
export type Expected = readonly [rule: number, message: object] | number

/** Services of one rule per method, and where requests lead. */
export const routes: readonly {
  readonly of: Project
  readonly rules: readonly RuleInit[]
  readonly requests: readonly (readonly [TestRequest, Expected])[]
}[] = [
  { of: 'grpc-gateway', rules: [{ get: '/*' }], requests: [ways('/abc', []), ways('/def', []), none('/abc/def')] },
  { of: 'grpc-gateway', rules: [{ get: '/v1' }], requests: [ways('/v1', []), none('/'), none('/v2')] },
  {
    of: 'grpc-gateway',
    rules: [{ get: '/**' }],
    requests: ['/', '/abc', '/abc/def', '/abc/def/ghi'].map((path) => ways(path, [])),
  },
  {
    of: 'grpc-gateway',
    rules: [{ get: '/v1/bucket/{id}' }],
    requests: [
      ways('/v1/bucket/my-bucket', { id: 'my-bucket' }),
      ...['/', '/v1', '/v1/bucket', '/v2/bucket/my-bucket', '/v1/pubsub/my-topic'].map(none),
    ],
  },
  {
    of: 'grpc-gateway',
    rules: [{ get: '/v1/{id=o/**}' }],
    requests: [
      ways('/v1/o', { id: 'o' }),
      ways('/v1/o/my-bucket', { id: 'o/my-bucket' }),
      ways('/v1/o/my-bucket/dir/dir2/obj', { id: 'o/my-bucket/dir/dir2/obj' }),
      ...['/v1', '/v2/o/my-bucket', '/v1/b/my-bucket'].map(none),
    ],
  },
  {
    of: 'grpc-gateway',
    rules: [{ get: '/v2/{id=b/*}/o/{opt=*}' }],
    requests: [
      ways('/v2/b/my-bucket/o/obj', { id: 'b/my-bucket', opt: 'obj' }),
      ...['/v2/b', '/v2/b/my-bucket', '/v2/b/my-bucket/o'].map(none),
    ],
  },
  { of: 'grpc-gateway', rules: [{ get: '/v1:LOCK' }], requests: [ways('/v1:LOCK', []), none('/v1'), none('/LOCK')] },
  {
    of: 'grpc-gateway',
    rules: [{ get: '/foo/{id}/bar' }, { get: '/files/{id=**}' }],
    requests: [
      ways('/foo/part1%2Fpart2/bar', { id: 'part1/part2' }),
      [get('/files/test%2Fbar'), [1, { id: 'test%2Fbar' }]],
      ways('/foo/success%2fwith%2Fspace/bar', { id: 'success/with/space' }),
      none('/foo'),
    ],
  },
  {
    of: 'grpc-gateway',
    rules: [{ get: '/{id}' }, { get: '/foo' }],
    requests: [
      [get('/foo'), [1, {}]],
      [{ method: 'DELETE', target: '/foo' }, 501],
    ],
  },
  {
    of: 'grpc-gateway',
    rules: [{ get: '/foo' }, { post: '/foo' }, { get: '/form' }, { get: '/json' }, { get: '/over' }, { post: '/over' }],
    requests: [
      [send('POST', '/foo', ''), [1, {}]],
      [send('POST', '/form', '', form), [2, {}]],
      [send('POST', '/json', '', json), 501],
      [{ method: 'POST', target: '/over', headers: { 'x-http-method-override': 'GET' } }, [4, {}]],
    ],
  },
  {
    of: 'grpc-gateway',
    rules: [{ get: '/foo/{id}' }, { get: '/foo/{id}:verb' }, { post: '/foo/{id}:archive' }, { post: '/foo:bar' }],
    requests: [
      [get('/foo/bar:verb'), [1, { id: 'bar' }]],
      ways('/foo/bar', { id: 'bar' }),
      ways('/foo/bar:123', { id: 'bar:123' }),
      [send('POST', '/foo:bar', ''), [3, {}]],
      [{ method: 'DELETE', target: '/foo/bar:archive' }, 501],
      [get('/foo/%25'), 400],
    ],
  },
  {
    of: 'vanguard-go',
    rules: [
      { get: '/foo/bar/baz/buzz' },
      { get: '/foo/bar/{id}' },
      { get: '/foo/bar/{id}/baz/{opt}' },
      { get: '/foo/bar/{id}/baz/{leaf.name}/buzz/{self.leaf.name}' },
      { get: '/foo/bar/*/{leaf.name}/{choice_text=**}' },
      { get: '/foo/bar/*/{leaf.name}/{choice_text=**}:do' },
      { get: '/foo/bar/*/{leaf.name}/{choice_text=**}:cancel' },
      { get: '/trailing/**:slash' },
      { get: '/verb' },
    ],
    requests: [
      none('/bob/lob/law'),
      [get('/foo/bar/baz'), [1, { id: 'baz' }]],
      none('/foo/bob/lob/law'),
      ways('/foo/bar/baz/buzz', []),
      [get('/foo/bar/baz/baz/buzz'), [2, { id: 'baz', opt: 'buzz' }]],
      [get('/foo/bar/1/baz/2/buzz/3'), [3, { id: '1', leaf: { name: '2' }, self: { leaf: { name: '3' } } }]],
      none('/foo/bar/baz/123'),
      [get('/foo/bar/baz/123/buzz'), [4, { leaf: { name: '123' }, choiceText: 'buzz' }]],
      [get('/foo/bar/baz/123/buzz/buzz'), [4, { leaf: { name: '123' }, choiceText: 'buzz/buzz' }]],
      [get('/foo/bar/baz/123/buzz/buzz:do'), [5, { leaf: { name: '123' }, choiceText: 'buzz/buzz' }]],
      [get('/foo/bar/baz/123/fizz/frob/nitz:do'), [5, { leaf: { name: '123' }, choiceText: 'fizz/frob/nitz' }]],
      [get('/foo/bar/baz/123/buzz/buzz:cancel'), [6, { leaf: { name: '123' }, choiceText: 'buzz/buzz' }]],
      none('/trailing:slash'),
      [get('/trailing/:slash'), [7, {}]],
      none('/verb:'),
      [get('/verb'), [8, {}]],
      [get('/foo/bar/baz/%2f/%2A/%2f'), [4, { leaf: { name: '/' }, choiceText: '*/%2F' }]],
      [get('/foo/bar/baz/123/a%2Fb'), [4, { leaf: { name: '123' }, choiceText: 'a%2Fb' }]],
      [get('/foo/bar/foo%252Fbar'), [1, { id: 'foo%2Fbar' }]],
      [{ method: 'PUT', target: '/verb' }, 405],
    ],
  },
  {
    of: 'vanguard-go',
    rules: [
      { get: '/v1/shelves' },
      { get: '/v1/{id=shelves/*/books/*}' },
      { post: '/v1/{id=shelves/*}/books', body: 'leaf' },
      { post: '/v2/{id=shelves/*}/books:move', body: 'names' },
      { get: '/v2/checkouts/{i64}' },
      { get: '/{id=*}:download' },
    ],
    requests: [
      ways('/v1/shelves', []),
      [get('/v1/shelves/1/books/1'), [1, { id: 'shelves/1/books/1' }]],
      [{ method: 'PUT', target: '/v1/shelves/1/books/1' }, 405],
      [
        send('POST', '/v1/shelves/1/books?optInt=1&float_value=2', '{"name":"a","count":3}'),
        [2, { id: 'shelves/1', optInt: 1, floatValue: 2, leaf: { name: 'a', count: 3 } }],
      ],
      [send('POST', '/v2/shelves/1/books:move', '["a","b"]'), [3, { id: 'shelves/1', names: ['a', 'b'] }]],
      [get('/v2/checkouts/nan'), 400],
      [get('/message.txt:download?unknownParam=1'), [5, { id: 'message.txt' }]],
    ],
  },
]

const MAX_DOUBLE = `179769313486231570000${'0'.repeat(288)}`
const TEXT = "abc123!?$*&()'-=@~"
const base64 = Buffer.from(TEXT).toString('base64')

/** Queries, and the message of each; null for those that are refused. */
export const parameters: readonly (readonly [Project, string, object | null])[] = [
  ['vanguard-go', `double_value=${MAX_DOUBLE}`, { doubleValue: Number.MAX_VALUE }],
  ['vanguard-go', 'double_value=NaN', { doubleValue: 'NaN' }],
  ['vanguard-go', 'double_value=Infinity', { doubleValue: 'Infinity' }],
  ['vanguard-go', 'double_value=-Infinity', { doubleValue: '-Infinity' }],
  ['vanguard-go', `float_value=34028235${'0'.repeat(31)}`, { floatValue: 3.4028234663852886e38 }],
  ['vanguard-go', `float_value=${MAX_DOUBLE}`, null],
  ['vanguard-go', 'float_value=NaN', { floatValue: 'NaN' }],
  ['vanguard-go', 'float_value=-Infinity', { floatValue: '-Infinity' }],
  ['vanguard-go', 'i32=2147483647', { i32: 2147483647 }],
  ['vanguard-go', 'i32=9223372036854775807', null],
  ['vanguard-go', 'i64=9223372036854775807', { i64: '9223372036854775807' }],
  ['vanguard-go', 'u32=4294967295', { u32: 4294967295 }],
  ['vanguard-go', 'u64=18446744073709551615', { u64: '18446744073709551615' }],
  ['vanguard-go', 's32=2147483647', { s32: 2147483647 }],
  ['vanguard-go', 's64=9223372036854775807', { s64: '9223372036854775807' }],
  ['vanguard-go', 'flag=true', { flag: true }],
  ['vanguard-go', 'flag=false', {}],
  ['vanguard-go', 'id=hello+world', { id: 'hello world' }],
  ['vanguard-go', `data=${encodeURIComponent(base64)}`, { data: base64 }],
  ['vanguard-go', `data=${base64.replaceAll('+', '-').replaceAll('/', '_')}`, { data: base64 }],
  ['vanguard-go', 'data=YWJjMTIzIT8kKiYoKSctPUA', { data: 'YWJjMTIzIT8kKiYoKSctPUA=' }],
  ['vanguard-go', 'at=2021-01-01T00:00:00Z', { at: '2021-01-01T00:00:00Z' }],
  ['vanguard-go', 'lasting=1s', { lasting: '1s' }],
  ['vanguard-go', 'lasting=3.000000001s', { lasting: '3.000000001s' }],
  ['vanguard-go', 'bool_wrapper=true', { boolWrapper: true }],
  ['vanguard-go', 'int32_wrapper=2147483647', { int32Wrapper: 2147483647 }],
  ['vanguard-go', 'int32_wrapper=9223372036854775807', null],
  ['vanguard-go', 'int64_wrapper=9223372036854775807', { int64Wrapper: '9223372036854775807' }],
  ['vanguard-go', `double_wrapper=${MAX_DOUBLE}`, { doubleWrapper: Number.MAX_VALUE }],
  ['vanguard-go', 'double_wrapper=NaN', { doubleWrapper: 'NaN' }],
  ['vanguard-go', 'double_wrapper=Infinity', { doubleWrapper: 'Infinity' }],
  ['vanguard-go', `bytes_wrapper=${encodeURIComponent(base64)}`, { bytesWrapper: base64 }],
  ['vanguard-go', 'string_wrapper=hello+world', { stringWrapper: 'hello world' }],
  ['vanguard-go', 'string_wrapper="hello+world"', { stringWrapper: '"hello world"' }],
  ['vanguard-go', 'mask=foo,bar.baz', { mask: 'foo,bar.baz' }],
  ['vanguard-go', 'color=1', { color: 'COLOR_RED' }],
  ['vanguard-go', 'color=COLOR_RED', { color: 'COLOR_RED' }],
  ['vanguard-go', 'color=null', {}],
  ['vanguard-go', 'color=unknown', null],
  ['vanguard-go', 'colors=0&colors=1', { colors: ['COLOR_UNSPECIFIED', 'COLOR_RED'] }],
  ['vanguard-go', 'choice_number=1', { choiceNumber: 1 }],
  ['vanguard-go', 'leaf.count=1', { leaf: { count: 1 } }],
  ['vanguard-go', 'self.double_value=1.234', { self: { doubleValue: 1.234 } }],
  ['vanguard-go', 'labels=hello', null],
  ['vanguard-go', 'leaf_by_id.name=a', null],
  ['vanguard-go', 'numbers=1', { numbers: [1] }],
  ['vanguard-go', 'unknownField=hello', null],
  ['grpc-gateway', 'float_value=1.5', { floatValue: 1.5 }],
  ['grpc-gateway', 'double_value=2.5', { doubleValue: 2.5 }],
  ['grpc-gateway', 'i64=-1', { i64: '-1' }],
  ['grpc-gateway', 'i32=-2', { i32: -2 }],
  ['grpc-gateway', 'u64=3', { u64: '3' }],
  ['grpc-gateway', 'u32=4', { u32: 4 }],
  ['grpc-gateway', 'id=str', { id: 'str' }],
  ['grpc-gateway', 'data=YWJjMTIzIT8kKiYoKSctPUB-', { data: base64 }],
  ['grpc-gateway', 'names=a&names=b&names=c', { names: ['a', 'b', 'c'] }],
  ['grpc-gateway', 'opt=str', { opt: 'str' }],
  ['grpc-gateway', 'string_wrappers=1&string_wrappers=2', { stringWrappers: ['1', '2'] }],
  ['grpc-gateway', 'colors=1&colors=2&colors=0', { colors: ['COLOR_RED', 'COLOR_BLUE', 'COLOR_UNSPECIFIED'] }],
  ['grpc-gateway', 'colors=COLOR_UNSPECIFIED&colors=2', { colors: ['COLOR_UNSPECIFIED', 'COLOR_BLUE'] }],
  ['grpc-gateway', 'at=2016-12-15T12:23:32.000000049Z', { at: '2016-12-15T12:23:32.000000049Z' }],
  ['grpc-gateway', 'lasting=13h0m0s', { lasting: '46800s' }],
  ['grpc-gateway', 'lasting=123.456s', { lasting: '123.456s' }],
  ['grpc-gateway', 'lasting="123.456s"', { lasting: '123.456s' }],
  ['grpc-gateway', 'lasting="123years"', null],
  ['grpc-gateway', 'lasting=123', null],
  ['grpc-gateway', 'at="2016-05-10T10:19:13.123Z"', { at: '2016-05-10T10:19:13.123Z' }],
  ['grpc-gateway', 'at="05-10-2016T10:19:13.123Z"', null],
  ['grpc-gateway', 'at=123', null],
  ['grpc-gateway', 'mask=float_value,double_value', { mask: 'floatValue,doubleValue' }],
  ['grpc-gateway', 'double_wrapper=2.5', { doubleWrapper: 2.5 }],
  ['grpc-gateway', 'int64_wrapper=-1', { int64Wrapper: '-1' }],
  ['grpc-gateway', 'bool_wrapper=true', { boolWrapper: true }],
  ['grpc-gateway', 'bytes_wrapper=YWJjMTIzIT8kKiYoKSctPUB-', { bytesWrapper: base64 }],
  ['grpc-gateway', 'labels[key]=value&labels[second]=bar', { labels: { key: 'value', second: 'bar' } }],
  ['grpc-gateway', 'color_by_flag[true]=1', { colorByFlag: { true: 'COLOR_RED' } }],
  ['grpc-gateway', 'value={"a":{"b":1}}', { value: { a: { b: 1 } } }],
  ['grpc-gateway', 'value=true', { value: true }],
  ['grpc-gateway', 'struct={"a":{"b":1}}', { struct: { a: { b: 1 } } }],
  ['grpc-gateway', 'self.self.names=a&self.self.names=b&self.id=u', { self: { self: { names: ['a', 'b'] }, id: 'u' } }],
  ['grpc-gateway', 'self.labels[first]=foo', { self: { labels: { first: 'foo' } } }],
  ['grpc-gateway', 'choice_text=foobar', { choiceText: 'foobar' }],
  ['grpc-gateway', 'choiceText=foobar', { choiceText: 'foobar' }],
  ['grpc-gateway', 'choice_leaf.count=-1&choice_leaf.name=foo', { choiceLeaf: { count: -1, name: 'foo' } }],
  ['grpc-gateway', 'at=null', null],
  ['grpc-gateway', 'lasting=null', null],
  ['grpc-gateway', 'choice_number=1&choice_text=foobar', null],
  ['grpc-gateway', 'choice_number=10&choice_leaf.count=-1', null],
  ['grpc-gateway', 'choice_leaf.count=-1&choice_number=10', null],
  ['grpc-gateway', 'u64=1&u64=2', null],
  ['grpc-gateway', 'string_wrappers.value=1', null],
  ['grpc-gateway', 'at=0000-01-01T00:00:00.00Z', null],
  ['grpc-gateway', 'float_value.nested=test', null],
  ['grpc-gateway', 'flag.nested=test', null],
  ['grpc-gateway', 'names.nested=test', null],
  ['grpc-gateway', 'color.nested=test', null],
]

function ways(target: string, message: object): readonly [TestRequest, Expected] {
  return [get(target), [0, { ...message }]]
}

function none(target: string): readonly [TestRequest, Expected] {
  return [get(target), 404]
}

/** The name of a request in the tests and the explanations. */
export function nameOf({ method = 'GET', target }: TestRequest): string {
  return `${method} ${target}`
}

/** The names of all cases. */
export const caseNames: readonly string[] = [
  ...templates.map(([, text]) => text),
  ...routes.flatMap(({ requests }) => requests.map(([request]) => nameOf(request))),
  ...parameters.map(([, query]) => query),
]
