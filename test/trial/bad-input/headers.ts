import fc from 'fast-check'

/** Bearer credentials by what they are. */
export interface Credentials {
  readonly key: string
  readonly teamKey: string
  readonly worker: string
  readonly admin: string
  readonly member: string
  /** The secret of a management key, which only SCIM takes. */
  readonly directory: string
}

/** Headers by lower-case name. */
export type Headers = Readonly<Record<string, string>>

/** What HTTP allows in the value of a field. */
const headerCharacters = Array.from({ length: 0xe0 }, (_, index) => String.fromCharCode(0x20 + index)).filter(
  (character) => character !== '\u007f',
)
const latin1 = fc.string({ unit: fc.constantFrom(...headerCharacters), maxLength: 30 })
const odd = (...texts: readonly string[]) =>
  fc.oneof(fc.constantFrom(...texts, '', ' ', ',', 'a'.repeat(2_000)), latin1)

/** Header fields that the service reads, with values that it may not expect. A deadline is never so short that it passes. */
const strayHeaders: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'x-request-id': odd('a', 'a'.repeat(129), 'svc_token_AAAA', '../..', '\u00e4'),
  'idempotency-key': odd('k1', 'k2', 'k3', 'a'.repeat(255), 'a'.repeat(256), 'a b', '\u00e4'),
  'if-match': odd('*', '"0"', 'W/"0"', '"', '""', '"a","b"', '"a" "b"', 'a', '*,*', ',"a",'),
  'if-none-match': odd('*', '"0"', 'W/"0"', '"', '"a","b"', '*, "a"', ',,,'),
  accept: odd('*/*', 'text/html', 'application/json;q=0', 'application/xml', ';', 'application/scim+json'),
  'accept-encoding': odd(
    'gzip',
    'br',
    'deflate',
    '*',
    '*;q=0',
    'identity;q=0',
    'gzip;q=2',
    'gzip;q=-1',
    'gzip;;q=1',
    'zstd, x-gzip',
  ),
  'connect-timeout-ms': odd('60000', '9999999999', '99999999999', '-1', '1.5', '1e5', '0x10', '60000 '),
  'grpc-timeout': odd('60S', '99999999H', '999999999H', '-1S', '60', 'S', '60s', '1.5S', '60S '),
  'connect-protocol-version': odd('1', '2', '01', '1.0'),
  'grpc-accept-encoding': odd('gzip', 'br,gzip', 'identity', ',', 'snappy'),
  'connect-accept-encoding': odd('gzip', 'zstd'),
  'x-forwarded-for': odd(
    '10.0.0.1',
    '::1',
    '[::1]:80',
    '10.0.0.1, ',
    '999.1.1.1',
    'unknown',
    '_hidden',
    '::ffff:1.2.3.4',
    '1.2.3.4:80',
  ),
  'x-forwarded-proto': odd('https', 'gopher', 'https,http'),
  'x-forwarded-host': odd('evil.example', 'a b'),
  forwarded: odd('for=1.2.3.4;host=evil.example', 'for="[::1]"'),
  'x-http-method-override': odd('DELETE', 'GET'),
  origin: odd('https://evil.example', 'null', '*'),
  'access-control-request-method': odd('DELETE', 'TRACE'),
  'access-control-request-headers': odd('authorization', 'a,b'),
  'user-agent': odd('grpc-node', ''),
  cookie: odd('a=b; c', ';'),
  range: odd('bytes=0-1', 'bytes=-1', 'items=1'),
  prefer: odd('return=minimal'),
  traceparent: odd(
    `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`,
    'ff-a-b-c',
  ),
  tracestate: odd('a=b', '=', 'a=b,a=b'),
  baggage: odd('a=b', '%%%'),
  te: fc.constant('trailers'),
  'content-language': odd('de'),
  'content-range': odd('bytes 0-1/2'),
  'x-user-agent': odd('connect-es/2'),
  'grpc-trace-bin': odd('AA==', '%'),
  'grpc-status': odd('0', '13'),
  'grpc-message': odd('%', '%zz'),
}

/** None in most requests, else up to three. */
export const stray: fc.Arbitrary<Headers> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.oneof(...Object.entries(strayHeaders).map(([name, value]) => fc.tuple(fc.constant(name), value))), {
        minLength: 1,
        maxLength: 3,
      })
      .map((pairs) => Object.fromEntries(pairs)),
  },
)

/** What a body says it is coded in; its own coding in most requests. */
export const codingNames = odd(
  'gzip',
  'br',
  'deflate',
  'identity',
  'gzip, gzip',
  'x-gzip',
  'GZIP',
  'zstd',
  'aws-chunked',
)

/** Content types that no protocol, or only another one, accepts. */
export const strayTypes = odd(
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset="utf-8"',
  'application/json; charset=latin1',
  'application/JSON',
  'application/json;',
  'application/json; a',
  'text/plain',
  'text/html',
  'multipart/form-data; boundary=a',
  'application/x-www-form-urlencoded',
  'application/scim+json',
  'application/proto',
  'application/connect+json',
  'application/connect+proto',
  'application/grpc',
  'application/grpc+',
  'application/grpc+json',
  'application/grpc+thrift',
  'application/grpc-web',
  'application/grpc-web-text',
  'application/grpc-web+json',
  'application/json, application/json',
  '*/*',
)

/** An Authorization header: a valid one in most requests. */
export function authorizations(good: readonly string[], all: Credentials): fc.Arbitrary<Headers> {
  const token = all.key
  const bad = odd(
    'Bearer',
    'Bearer ',
    `bearer  ${token}`,
    `Bearer ${token} `,
    `Bearer ${token},Bearer ${token}`,
    `Basic ${token}`,
    token,
    `Bearer ${token}x`,
    'Bearer a.b.c',
    'Bearer svc_secret_pk_x',
    'Basic Og==',
    'Basic %%%',
    'Negotiate',
    'Bearer \u00e4',
    ...Object.values(all).map((each) => `Bearer ${each}`),
  )
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...good).map((each) => ({ authorization: `Bearer ${each}` })) },
    {
      weight: 1,
      arbitrary: fc
        .option(bad, { nil: undefined })
        .map((value): Headers => (value === undefined ? {} : { authorization: value })),
    },
  )
}
