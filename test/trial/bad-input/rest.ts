import { type DescMethod, getOption } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { http } from '../../../gen/google/api/annotations_pb.js'
import { http_form as httpForm } from '../../../gen/svc/v2/http_form_pb.js'
import { services } from '../../../src/handlers/routes.js'
import { bomb, codings, compress, jsonBodies } from './bodies.js'
import { authorizations, type Credentials, codingNames, stray, strayTypes } from './headers.js'
import { byteChanges, changed, rarely } from './messages.js'
import type { BadRequest } from './protocol.js'
import { nastyTexts } from './values.js'

/** Requests of every method over REST, and of similar paths. */
export function restRequests(all: Credentials): fc.Arbitrary<BadRequest> {
  return fc.oneof(...services.flatMap(({ methods }) => methods).map((method) => requestsOf(method, all)))
}

const verbs = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PURGE', 'QUERY', 'PROPFIND', 'TRACE']

function requestsOf(method: DescMethod, all: Credentials): fc.Arbitrary<BadRequest> {
  const { pattern, body } = getOption(method, http)
  if (pattern.case === undefined || pattern.case === 'custom') throw new Error(`${method.name} has no plain route`)
  const verb = pattern.case.toUpperCase()
  const isForm = getOption(method, httpForm)?.formEncoded === true
  return fc
    .record({
      version: fc.constantFrom('HTTP/1.1' as const, 'HTTP/2' as const),
      message: jsonBodies(method.input),
      verb: rarely(fc.constantFrom(...verbs)),
      write: fc.constantFrom(...escapes),
      query: fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: strayQueries }),
      inPath: rarely(byteChanges),
      coding: fc.oneof({ weight: 5, arbitrary: fc.constant('identity' as const) }, fc.constantFrom(...codings)),
      named: rarely(codingNames),
      type: rarely(strayTypes),
      isBomb: fc.nat(300).map((drawn) => drawn === 0),
      authorization: authorizations([all.key, all.admin, all.worker, all.key, all.admin, all.teamKey], all),
      stray,
    })
    .map((drawn): BadRequest => {
      const { message, write, coding, named, isBomb } = drawn
      const taken = new Set<string>()
      const route = pattern.value.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
        const jsonName = method.input.fields.find((field) => field.name === name)?.jsonName ?? name
        taken.add(jsonName).add(name)
        const value = message.value[jsonName]
        return write(typeof value === 'string' ? value : 'a')
      })
      const rest = Object.entries(message.value).filter(([name]) => !taken.has(name) && name !== body)
      const parameters = body === '*' ? [] : rest.flatMap(([name, value]) => pairsOf(name, value, write))
      const query = [parameters.join('&'), drawn.query].filter((part) => part !== '').join('&')
      const path = visible(changed(Buffer.from(route + (query === '' ? '' : `?${query}`)), drawn.inPath ?? []))
      const given = drawn.verb ?? verb
      const about = { protocol: 'REST' as const, version: drawn.version, method: given, path, inPath: [...taken] }
      const headers: Record<string, string> = { ...drawn.authorization, ...drawn.stray }
      if (given === 'GET' || given === 'HEAD' || (body === '' && drawn.type === undefined)) return { ...about, headers }
      headers['content-type'] = drawn.type ?? (isForm ? 'application/x-www-form-urlencoded' : 'application/json')
      const declared = named ?? (isBomb ? 'gzip' : coding === 'identity' ? undefined : coding)
      if (declared !== undefined) headers['content-encoding'] = declared
      const text = Object.entries(message.value)
        .flatMap(([name, value]) => pairsOf(name, value, write))
        .join('&')
      const plain = isForm ? Buffer.from(text) : bodyOf(message, body, taken)
      return { ...about, headers, body: isBomb ? bomb : compress(coding, plain) }
    })
}

/** The text of the message; if it is as it should be, the field that is the body, or all but the fields of the path. */
function bodyOf(
  { value, bytes }: { readonly value: Record<string, unknown>; readonly bytes: Uint8Array },
  body: string,
  taken: ReadonlySet<string>,
): Uint8Array {
  if (Buffer.from(bytes).toString() !== JSON.stringify(value)) return bytes
  if (body in value) return Buffer.from(JSON.stringify(value[body]))
  return Buffer.from(JSON.stringify(Object.fromEntries(Object.entries(value).filter(([name]) => !taken.has(name)))))
}

/** A value as parameters of a query. */
function pairsOf(name: string, value: unknown, write: (text: string) => string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pairsOf(name, item, write))
  if (typeof value !== 'object' || value === null) return [`${name}=${write(String(value))}`]
  return Object.entries(value).flatMap(([inner, innerValue]) => pairsOf(`${name}.${inner}`, innerValue, write))
}

/** Ways to write a value in a URL. */
const escapes: readonly ((text: string) => string)[] = [
  encoded,
  encoded,
  encoded,
  (text) => text,
  (text) => Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  (text) => encoded(encoded(text)),
]

/** Lone surrogates become bytes that are not UTF-8. */
function encoded(text: string): string {
  return text.replaceAll(/[\ud800-\udbff][\udc00-\udfff]|[^\w.~-]/g, (part) =>
    part.isWellFormed() ? encodeURIComponent(part) : '%ED%A0%80',
  )
}

/** What Node sends in the line of a request as it is. */
function visible(bytes: Uint8Array): string {
  const text = Buffer.from(bytes)
    .toString('latin1')
    .replaceAll(/[^\x21-\x7e]/g, '')
  return text.startsWith('/') ? text : `/${text}`
}

const strayQueries = fc.oneof(
  fc.constantFrom(
    'pageSize=1',
    'pageSize=-1',
    'pageSize=1&pageSize=2',
    'pageSize=1&page_size=1',
    'pageSize=2147483648',
    'pageSize=1e1',
    'pageToken=x',
    `pageToken=${'A'.repeat(3_000)}`,
    'pageToken=%00',
    'pageToken=.',
    'pageToken=AAAA.AAAA',
    'a=b',
    '&&&',
    '=',
    '%',
    '%zz=1',
    'a.b.c=1',
    '.=1',
    'id.=1',
    '__proto__=1',
    '__proto__.a=1',
    'constructor.prototype=1',
    'includeDeactivated=1',
    'includeDeactivated',
    'since=2026-01-31T09:05:00Z',
    'since=x',
    'until=0001-01-01T00:00:00Z',
    'since=2026-01-31T09:05:00Z&until=2025-01-31T09:05:00Z',
    '$.xgafv=1',
    'key=1',
    'access_token=x',
    'alt=media',
    'fields=id',
    '#',
    'a=b#c',
    `${'a=b&'.repeat(1_000)}`,
    `${'self.'.repeat(500)}id=1`,
  ),
  fc.constantFrom(...nastyTexts).map((text) => `pageToken=${encoded(text)}`),
  fc.constantFrom(...nastyTexts).map((text) => `${encoded(text)}=1`),
)
