import { type DescMethod, fromBinary, getOption } from '@bufbuild/protobuf'
import { expect } from 'expect'
import { http } from '../../gen/google/api/annotations_pb.js'
import { BadRequestSchema, ErrorInfoSchema } from '../../gen/google/rpc/error_details_pb.js'
import { services } from '../../src/handlers/routes.js'
import type { RestAnswer, TestService } from './service.js'

/** A request message as JSON. */
export type RequestJson = Readonly<Record<string, unknown>>

/** A method as both protocols know it. */
export interface MethodForms {
  /** Such as `svc.v2.PriorityService/UpdatePriority`. */
  readonly procedure: string
  /** The REST form of the message. */
  readonly rest: (request: RequestJson) => { readonly method: string; readonly path: string; readonly json?: unknown }
}

/** The protocols through which a method can be called. */
export const protocols = ['REST', 'Connect'] as const

/** One of the protocols. */
export type Protocol = (typeof protocols)[number]

/** A response in the same form for both protocols. */
export interface Outcome {
  readonly status: number
  readonly code: string | undefined
  /** The reason of the error, without its prefix. */
  readonly reason: string | undefined
  readonly message: string | undefined
  /** The fields that are named. */
  readonly fields: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
  readonly answer: RestAnswer
}

/** A call of a method through one of its protocols. */
export interface MethodCall {
  readonly protocol: Protocol
  readonly request: RequestJson
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Calls a method with a request message through one of its protocols. */
export async function callMethod(
  service: TestService,
  method: MethodForms,
  { protocol, request, token, headers = {} }: MethodCall,
): Promise<Outcome> {
  if (protocol === 'Connect') {
    return outcomeOf(await service.rest('POST', `/${method.procedure}`, { json: request, token, headers }))
  }
  const { path, method: verb, json } = method.rest(request)
  return outcomeOf(await service.rest(verb, path, { token, headers, ...(json !== undefined && { json }) }))
}

/** A path with a query of the message's fields that are not in the path. */
export function withQuery(path: string, query: RequestJson): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) parameters.append(name, String(each))
  }
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`
}

/** A value of a message as a segment of a path. */
export function segment(value: unknown): string {
  return encodeURIComponent(String(value))
}

/** A method of the API by its name. */
export function methodNamed(name: string): DescMethod {
  const method = services.flatMap(({ methods }) => methods).find((each) => each.name === name)
  if (method === undefined) throw new Error(`there is no method ${name}`)
  return method
}

/** The REST form of a message. */
export interface RestForm {
  readonly verb: string
  readonly path: string
  /** Absent if the method takes no body. */
  readonly json?: object
}

/** A method as both protocols know it. */
export function formsOf(name: string): MethodForms {
  const method = methodNamed(name)
  const rest: MethodForms['rest'] = (request) => {
    const { verb, ...form } = restFormOf(method, request)
    return { method: verb, ...form }
  }
  return { procedure: `${method.parent.typeName}/${name}`, rest }
}

/** A request message by its `google.api.http` rule: fields in the path, the others in the body or the query. */
export function restFormOf(method: DescMethod, request: RequestJson): RestForm {
  const { pattern, body } = getOption(method, http)
  if (pattern.case === undefined || pattern.case === 'custom') throw new Error(`${method.name} has no plain route`)
  const rest = { ...request }
  const path = pattern.value.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const name = method.input.fields.find((each) => each.name === field)?.jsonName ?? field
    const value = rest[name]
    delete rest[name]
    return segment(value)
  })
  const verb = pattern.case.toUpperCase()
  if (body === '*') return { verb, path, json: rest }
  const field = method.input.fields.find(({ name }) => name === body)
  if (field === undefined) return { verb, path: withQuery(path, rest) }
  const { [field.jsonName]: json, ...query } = rest
  return { verb, path: withQuery(path, query), json: Object(json) }
}

interface ErrorJson {
  readonly code?: string
  readonly message?: string
  readonly detail?: DetailJson
  readonly details?: readonly DetailJson[]
}

interface DetailJson {
  readonly type: string
  readonly value: string
}

function outcomeOf(answer: RestAnswer): Outcome {
  const error: ErrorJson = answer.status === 200 ? {} : answer.json
  return {
    status: answer.status,
    code: error.code,
    message: error.message,
    ...factsOf(error.detail ?? error.details?.[0]),
    answer,
  }
}

function factsOf(detail: DetailJson | undefined): Pick<Outcome, 'reason' | 'fields' | 'metadata'> {
  if (detail === undefined) return { reason: undefined, fields: [], metadata: {} }
  const bytes = Buffer.from(detail.value, 'base64')
  const nameOf = (reason: string | undefined) => reason?.replace('ERROR_REASON_', '')
  if (detail.type === ErrorInfoSchema.typeName) {
    const { reason, metadata } = fromBinary(ErrorInfoSchema, bytes)
    return { reason: nameOf(reason), fields: [], metadata }
  }
  expect(detail.type).toBe(BadRequestSchema.typeName)
  const { fieldViolations } = fromBinary(BadRequestSchema, bytes)
  return { reason: nameOf(fieldViolations[0]?.reason), fields: fieldViolations.map(({ field }) => field), metadata: {} }
}
