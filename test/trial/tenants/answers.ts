import { type DescMethod, fromJson, getOption } from '@bufbuild/protobuf'
import { http } from '../../../gen/google/api/annotations_pb.js'
import { services } from '../../../src/handlers/routes.js'
import { callHttp1, callHttp2, type RawAnswer, type RawRequest } from '../../rpc/raw-call.js'
import { bytesOf, requestOf, type WireForm } from '../../rpc/wire-form.js'
import type { RequestJson } from './foreign-ids.js'
import type { ScimPlace } from './scim-ids.js'

/** The protocols of a method. */
export const methodProtocols = ['REST', 'Connect JSON', 'Connect binary', 'gRPC', 'gRPC-Web'] as const
/** One of them. */
export type MethodProtocol = (typeof methodProtocols)[number]

const unary = { coding: 'identity', unary: true } as const
const wireForms: Readonly<Record<Exclude<MethodProtocol, 'REST'>, WireForm>> = {
  'Connect JSON': { ...unary, protocol: 'connect', form: 'json' },
  'Connect binary': { ...unary, protocol: 'connect', form: 'proto' },
  gRPC: { ...unary, protocol: 'grpc', form: 'proto' },
  'gRPC-Web': { ...unary, protocol: 'grpc-web', form: 'proto' },
}

const methods = new Map(services.flatMap((service) => service.methods.map((method) => [method.name, method])))

/** A call of a method through a protocol. */
export function requestThrough(
  protocol: MethodProtocol,
  name: string,
  message: RequestJson,
  token: string | undefined,
): RawRequest {
  const method = methods.get(name)
  if (method === undefined) throw new Error(`there is no method ${name}`)
  const credential = token === undefined ? {} : { authorization: `Bearer ${token}` }
  if (protocol === 'REST') return restRequest(method, message, credential)
  const bytes = bytesOf(method.input, fromJson(method.input, { ...message } as never), wireForms[protocol].form)
  const request = requestOf(wireForms[protocol], `/${method.parent.typeName}/${method.name}`, [bytes])
  return { ...request, headers: { ...request.headers, ...credential } }
}

function restRequest(method: DescMethod, message: RequestJson, credential: Record<string, string>): RawRequest {
  const { pattern, body } = getOption(method, http)
  if (pattern.case === undefined || pattern.case === 'custom') throw new Error(`${method.name} has no plain route`)
  const taken = new Set<string>()
  const path = pattern.value.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const name = method.input.fields.find((each) => each.name === field)?.jsonName ?? field
    taken.add(name)
    return encodeURIComponent(String(message[name]))
  })
  const rest = Object.fromEntries(Object.entries(message).filter(([name]) => !taken.has(name)))
  const verb = pattern.case.toUpperCase()
  if (body === '*') {
    const headers = { ...credential, 'content-type': 'application/json' }
    return { method: verb, path, headers, body: Buffer.from(JSON.stringify(rest)) }
  }
  const query = new URLSearchParams(
    Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return { method: verb, path: query === '' ? path : `${path}?${query}`, headers: credential }
}

/** A request of SCIM. */
export function scimRequest({ request }: ScimPlace, id: string, secret: string): RawRequest {
  const { method, path, body } = request(id)
  const headers = { authorization: `Bearer ${secret}` }
  if (body === undefined) return { method, path: `/scim/v2${path}`, headers }
  const type = { 'content-type': 'application/scim+json' }
  return { method, path: `/scim/v2${path}`, headers: { ...headers, ...type }, body: Buffer.from(JSON.stringify(body)) }
}

/** Sends a request over the version of HTTP that the protocol needs. */
export function call(port: number, protocol: MethodProtocol | 'SCIM', request: RawRequest): Promise<RawAnswer> {
  return protocol === 'gRPC' ? callHttp2(port, request) : callHttp1(port, request)
}

/** An answer as text in which the id is a place holder, also inside base64; headers included. */
export function withoutId({ status, headers, trailers, body }: RawAnswer, id: string): string {
  const lines = [status, JSON.stringify(headers), JSON.stringify(trailers), body.toString('latin1')].join('\n')
  return lines
    .replaceAll(/[\w+/-]{16,}={0,2}/g, (text) => {
      const inside = Buffer.from(text, 'base64').toString('latin1')
      return inside.includes(id) ? `<${inside}>` : text
    })
    .replaceAll(encodeURIComponent(id), '{id}')
    .replaceAll(id, '{id}')
}

/** An id of the same form that nothing has. */
export function absentIdLike(id: string): string {
  const at = id.includes('@') ? id.indexOf('@') - 1 : id.length - 1
  return `${id.slice(0, at)}${id.charAt(at) === '9' ? '8' : '9'}${id.slice(at + 1)}`
}
