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
      'proto2: a message whose required field is not set cannot be read. The others look for them in the message alone, not in what its Any holds.',
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
      'RFC 9110, 9.3.7: OPTIONS tells the methods of a path, which a rule that names none of its own leaves to the server. Every path answers it (docs/http.md).',
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
