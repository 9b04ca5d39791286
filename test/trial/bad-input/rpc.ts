import type { DescMessage, DescMethod } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import fc from 'fast-check'
import { services } from '../../../src/handlers/routes.js'
import { binaryBodies, bomb, type Coding, codings, compress, jsonBodies } from './bodies.js'
import { authorizations, type Credentials, codingNames, stray, strayTypes } from './headers.js'
import { byteChanges, changed, rarely } from './messages.js'
import type { BadRequest, ProtocolName } from './protocol.js'

type RpcProtocol = Exclude<ProtocolName, 'REST' | 'SCIM'>

const types: Readonly<Record<RpcProtocol, readonly string[]>> = {
  'Connect JSON': ['application/json'],
  'Connect binary': ['application/proto'],
  gRPC: ['application/grpc', 'application/grpc+proto', 'application/grpc+json'],
  'gRPC-Web': ['application/grpc-web+proto', 'application/grpc-web', 'application/grpc-web+json'],
}

/** Requests of every method through a protocol of RPC. */
export function rpcRequests(protocol: RpcProtocol, all: Credentials): fc.Arbitrary<BadRequest> {
  const methods = services.flatMap((service) => service.methods)
  return fc.oneof(
    ...methods.flatMap((method) => types[protocol].map((type) => requestsOf(protocol, type, method, all))),
  )
}

function requestsOf(
  protocol: RpcProtocol,
  type: string,
  method: DescMethod,
  all: Credentials,
): fc.Arbitrary<BadRequest> {
  const isJson = type.endsWith('json')
  const form = { isJson, enveloped: protocol.startsWith('gRPC'), input: method.input }
  const coding = fc.oneof(
    { weight: 3, arbitrary: fc.constant<Coding>('identity') },
    { weight: 1, arbitrary: fc.constantFrom(...codings) },
  )
  return fc
    .record({
      version:
        protocol === 'gRPC' ? fc.constant('HTTP/2' as const) : fc.constantFrom('HTTP/1.1' as const, 'HTTP/2' as const),
      coding,
      body: bodiesOf(form),
      named: rarely(codingNames),
      type: rarely(strayTypes),
      authorization: authorizations([all.key, all.admin, all.worker], all),
      stray,
      byGet: fc.boolean(),
      verb: rarely(fc.constantFrom('GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'QUERY')),
      suffix: rarely(fc.constantFrom('/', '/x', 'X', '?a=b', '%00', '?connect=v1', '?encoding=json&message=%7B%7D')),
      inEnvelope: byteChanges,
    })
    .map((drawn): BadRequest => {
      const { version, coding, named, suffix, verb = 'POST', authorization } = drawn
      const { data, flags, isBomb } = drawn.body
      const packed = isBomb ? data : compress(coding, data)
      const path = `/${method.parent.typeName}/${method.name}${suffix ?? ''}`
      const headers: Record<string, string> = { ...authorization, ...drawn.stray, 'content-type': drawn.type ?? type }
      const header = form.enveloped ? 'grpc-encoding' : 'content-encoding'
      const declared = named ?? (isBomb ? 'gzip' : coding === 'identity' ? undefined : coding)
      if (declared !== undefined) headers[header] = declared
      if (form.enveloped) headers['te'] = 'trailers'
      const about = { protocol, version, rpc: method, form: isJson ? ('json' as const) : ('binary' as const) }
      const reads = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS
      if (!form.enveloped && reads && drawn.byGet && data.length < 5_000) {
        const message = Buffer.from(changed(Buffer.from(Buffer.from(packed).toString('base64url')), drawn.inEnvelope))
        const { 'content-type': _, 'content-encoding': __, ...rest } = headers
        const query = `encoding=${isJson ? 'json' : 'proto'}&base64=1&message=${encodeURIComponent(message.toString('latin1'))}`
        const compression = declared === undefined ? '' : `&compression=${encodeURIComponent(declared)}`
        return {
          ...about,
          method: 'GET',
          path: `${path}${path.includes('?') ? '&' : '?'}${query}${compression}`,
          headers: rest,
        }
      }
      const body = form.enveloped
        ? changed(envelope(declared === undefined ? flags : flags | 1, packed), drawn.inEnvelope)
        : packed
      return { ...about, method: verb, path, headers, ...(verb !== 'GET' && verb !== 'HEAD' && { body }) }
    })
}

interface Form {
  readonly isJson: boolean
  readonly enveloped: boolean
  readonly input: DescMessage
}

interface Body {
  readonly data: Uint8Array
  readonly flags: number
  readonly isBomb: boolean
}

function bodiesOf({ isJson, input }: Form): fc.Arbitrary<Body> {
  const data = isJson ? jsonBodies(input).map(({ bytes }) => bytes) : binaryBodies(input)
  const flags = fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, fc.constantFrom(1, 2, 3, 0x80, 0x81, 0xff))
  return fc.oneof(
    { weight: 200, arbitrary: fc.record({ data, flags, isBomb: fc.constant(false) }) },
    { weight: 1, arbitrary: fc.constant({ data: bomb, flags: 1, isBomb: true }) },
  )
}

function envelope(flags: number, data: Uint8Array): Uint8Array {
  const head = Buffer.alloc(5)
  head.writeUInt8(flags, 0)
  head.writeUInt32BE(data.length, 1)
  return Buffer.concat([head, data])
}
