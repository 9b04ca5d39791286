import type { Aspect } from './differences.js'

interface Explanation {
  readonly reason: string
  readonly differs: readonly Aspect[]
  /** Names of rows. */
  readonly rows: readonly string[]
}

/**
 * Where the transcoder differs from what the recorded ones agree on, and why. "http.proto" are the comments of
 * `google/api/http.proto`, "ProtoJSON" is https://protobuf.dev/programming-guides/json.
 */
export const explanations: readonly Explanation[] = [
  {
    reason:
      'http.proto: "*" matches a single path segment. Nothing is no segment: Google, too, compiles {var} to [^/]+, and an id that is empty would be no id.',
    differs: ['accepted'],
    rows: ['an empty segment is not a value'],
  },
  {
    reason:
      'http.proto, rules 2 and 3: the query is mapped to those fields alone that neither the path binds nor the body covers, and with the body "*" there are none. The others take such a parameter or drop it, each in its own way; a query is strict here (docs/http.md).',
    differs: ['accepted'],
    rows: ['a field that the path binds', 'a field that the body binds', 'any field under body *'],
  },
  {
    reason:
      'http.proto: with the body "*", the body is every field that the path does not bind. So it need not have a required one that the path binds; the others require it of the body, before they look at the path.',
    differs: ['accepted'],
    rows: ['a required field from the path'],
  },
  {
    reason:
      'http.proto: with the body "*", the body is every field that the path does not bind. The others drop what such a field has in the body; one that differs from the path is more likely sent to the wrong path than meant as nothing.',
    differs: ['accepted'],
    rows: ['a body that differs from the path', 'a body field that differs from the path'],
  },
  {
    reason:
      'ProtoJSON: each of these types is one value in JSON, without fields. Taken apart, it reaches the service with values that ProtoJSON does not have: the others cannot answer these messages, and end with 500 or a closed connection.',
    differs: ['accepted'],
    rows: [
      'the inside of Any',
      'the inside of a time',
      'the inside of a time that is the request',
      'the inside of a value',
    ],
  },
  {
    reason:
      'ProtoJSON: null is accepted for every field. The body is the value of the field, so null says that it is not given, as inside of a body (docs/http.md).',
    differs: ['accepted'],
    rows: ['a null body field is not given'],
  },
  {
    reason:
      'proto2: a message whose required field is not set cannot be read. The others look for them in the message alone, not in what its Any contains.',
    differs: ['accepted'],
    rows: ['a required field missing in Any'],
  },
  {
    reason:
      'Limits against floods (docs/http.md), which http.proto leaves to the server: 25,000 values, and 32 levels of JSON without a schema.',
    differs: ['accepted'],
    rows: ['more values than are taken', 'values of no schema that are deeper'],
  },
  {
    reason:
      'http.proto says what a body means, not of which content types it may be. Forms bind like a query, for methods that take them (`requestTypes`); the others read JSON alone.',
    differs: ['accepted'],
    rows: ['a form', 'a form for a body field', 'a form of very many pairs without a value'],
  },
  {
    reason:
      'RFC 9110, 9.3.2: HEAD is GET without the content, and a server has both. Every path answers it (docs/http.md).',
    differs: ['accepted'],
    rows: ['HEAD is GET without a body'],
  },
  {
    reason:
      'RFC 9110, 9.3.7: OPTIONS lists the methods of a path, which a rule that names none of its own leaves to the server. Every path answers it (docs/http.md).',
    differs: ['accepted'],
    rows: ['OPTIONS lists the methods', 'the methods of a verb and of the path below it'],
  },
  {
    reason:
      'RFC 9110, 15.3.5: 204 says that there is no content. Here the others are not asked: the HTTP server of Go answers before them.',
    differs: ['status'],
    rows: ['OPTIONS * asks about the server itself'],
  },
  {
    reason:
      'Bad input is the fault of its sender, so it is 400 and names the field (docs/http.md). The others make a message of it that cannot be encoded, as text that is not UTF-8 or without a required field, and answer 500.',
    differs: ['status'],
    rows: [
      'a required field deep inside',
      'a required field that is missing',
      'bytes that are not UTF-8 in a value',
      'bytes that are not UTF-8 in the path',
    ],
  },
  {
    reason:
      'Too deep a message is the fault of its sender, so it is 400. The others pass it on, and answer 500 when the service cannot read it.',
    differs: ['status', 'code'],
    rows: ['a path without end', 'nesting without end'],
  },
  {
    reason:
      'ProtoJSON: a type with a mapping of its own stands under "value" in an Any, another one has its fields there. Empty is {} either way, and both spellings are read. Printing is left to protobuf-es, so that Connect answers the same.',
    differs: ['answer'],
    rows: ['Any of an Empty, with its value or without'],
  },
  {
    reason:
      'http.proto: the answer is the value of the field. One that is not set has none, which is null in ProtoJSON; 1970 would be a time that nobody has given.',
    differs: ['answer'],
    rows: ['an unset time as the response'],
  },
]

interface CaseExplanation {
  readonly reason: string
  /** What is answered here, by the names of cases. */
  readonly cases: Readonly<Record<string, unknown>>
}

/** Where it differs from what the tests of others expect (`test/rest/cases-of-others.ts`), and why. */
export const otherCases: readonly CaseExplanation[] = [
  {
    reason:
      'http.proto: Template = "/" Segments [ Verb ], with one segment at least; "*" is a whole one; and Verb = ":" LITERAL at the end, so a colon begins it. grpc-gateway looks for the verb behind the last "/" or "}" alone, and takes an empty one and one with colons.',
    cases: {
      '/': null,
      '/v1/a=b&c=d;e=f:g/endpoint.rdf': null,
      '/v1/a/{endpoint}:b:c': null,
      "/-._~!$&'()*+,;=:@": null,
      '/v1/{name}:bla:baa': null,
      '/v1/{name}:': null,
      '/v1/{name=segment/wi:th}': null,
    },
  },
  {
    reason: 'http.proto: "**" must be the last part of the path except the verb.',
    cases: { '/**/tail': null, '/v1/{name=o/**/.ext}/tail': null },
  },
  {
    reason: 'http.proto: a variable template must not contain other variables.',
    cases: {
      '/a%2fb~c%2Cd%5Be%5D/{x={y=%2F%2A}/{z=%2F%2A/**}}:f': null,
      '/foo/bob/{book_id={author}/{isbn}/*}/details': null,
    },
  },
  {
    reason: 'http.proto: "**" matches zero or more segments. For vanguard-go it is one at least.',
    cases: { 'GET /foo/bar/baz/123': [4, { leaf: { name: '123' }, choiceText: '' }], 'GET /trailing:slash': [7, {}] },
  },
  {
    reason:
      'http.proto: of several segments, all is decoded but "%2F" and "%2f", which stay as they are. vanguard-go makes capitals of them.',
    cases: { 'GET /foo/bar/baz/%2f/%2A/%2f': [4, { leaf: { name: '/' }, choiceText: '*/%2f' }] },
  },
  {
    reason:
      'RFC 9110, 15.5.6: a method that the server knows, and the path has not, is 405 with Allow; 501 is for methods that no path has.',
    cases: { 'DELETE /foo': 405, 'DELETE /foo/bar:archive': 405, 'POST /json': 405 },
  },
  {
    reason:
      'A rule is of one HTTP method. grpc-gateway takes POST with a form for GET, and X-HTTP-Method-Override, for clients that know no other methods; both get past a proxy that judges requests by their method.',
    cases: { 'POST /form': 405, 'POST /over': [5, {}] },
  },
  {
    reason:
      'RFC 3986, 2.4: what is encoded is decoded once. grpc-gateway refuses this path, as it decodes "%25" twice.',
    cases: { 'GET /foo/%25': [0, { id: '%' }] },
  },
  {
    reason: 'A query is strict here (docs/http.md). vanguard-go drops such parameters by an option of its own.',
    cases: { 'GET /message.txt:download?unknownParam=1': 400 },
  },
  {
    reason:
      'http.proto: a parameter of the query has a primitive type, repeated or not, or is a field inside of a message. Maps, Struct and Value are neither.',
    cases: {
      'labels[key]=value&labels[second]=bar': null,
      'color_by_flag[true]=1': null,
      'self.labels[first]=foo': null,
      'value={"a":{"b":1}}': null,
      'value=true': null,
      'struct={"a":{"b":1}}': null,
    },
  },
  {
    reason:
      'ProtoJSON: a duration ends in "s", and the text of a parameter is not quoted. grpc-gateway reads durations of Go, and values with quotes around them.',
    cases: { 'lasting=13h0m0s': null, 'lasting="123.456s"': null, 'at="2016-05-10T10:19:13.123Z"': null },
  },
  {
    reason:
      'An enum is given by the name or the number of a value, and "null" is neither. For vanguard-go it is the first value.',
    cases: { 'color=null': null },
  },
]
