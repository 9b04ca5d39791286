import { isDeepStrictEqual } from 'node:util'
import type { DescField, DescMessage, DescMethod } from '@bufbuild/protobuf'
import type { ReflectMessage } from '@bufbuild/protobuf/reflect'
import type { MethodImplSpec } from '@connectrpc/connect'
import { invalidArgument } from '../protojson/invalid.js'
import { DEFAULT_JSON_LIMITS } from '../protojson/json-text.js'
import { compileEventIds } from './event-ids.js'
import {
  excludesPath,
  type FieldPath,
  fieldPathToString,
  findByProtoName,
  resolveFieldPath,
  startsWithPath,
} from './field-path.js'
import { setFromText, valueAt } from './field-setter.js'
import type { HttpRule } from './http-rule.js'
import { DEFAULT_MAX_BODY_BYTES, type RestTranscoderOptions } from './options.js'
import { bindParameters, type ParameterRules } from './parameter-binder.js'
import { decodePercent } from './percent.js'
import { compileRequestBody, noBody } from './request-body.js'
import { compileResponseBody } from './response-body.js'
import { type PathTemplate, parseTemplate, templateToString } from './template.js'

/** One rule of a method, compiled, and the implementation that it leads to. */
export interface Route extends NonNullable<ReturnType<typeof compileRoute>> {
  readonly spec: MethodImplSpec & { readonly kind: 'unary' | 'server_streaming' }
}

const HTTP_TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Compiles one rule of a method, or adds every fault of it to `faults` and returns nothing. */
export function compileRoute(rule: HttpRule, method: DescMethod, options: RestTranscoderOptions, faults: string[]) {
  const { input, output } = method
  const before = faults.length
  if (rule.method === undefined) {
    faults.push('the rule has no pattern: expected one of get, put, post, delete, patch or custom')
    return undefined
  }
  if (!HTTP_TOKEN.test(rule.method)) faults.push(`custom kind ${JSON.stringify(rule.method)} is not an HTTP method`)
  const template = parseTemplate(rule.path)
  if (typeof template === 'string') faults.push(`path ${JSON.stringify(rule.path)}: ${template}`)
  const variables = typeof template === 'string' ? [] : resolveVariables(rule.path, template, input, faults)
  const bodyField = resolveBodyField('body', rule.body, input, faults)
  const responseField = resolveBodyField('response_body', rule.responseBody, output, faults)
  if (bodyField !== undefined && variables.some((path) => path.length === 1 && path[0] === bodyField)) {
    faults.push(`body ${JSON.stringify(rule.body)} is bound by the path already`)
  }
  if (bodyField !== undefined && variables.some((path) => excludesPath(path, [bodyField]))) {
    faults.push(`body ${JSON.stringify(rule.body)}: the path binds another member of the same oneof`)
  }
  const eventIds = compileEventIds(method, options, faults)
  if (faults.length > before || typeof template === 'string') return undefined
  const { fieldHint: hint, maxFreeDepth = DEFAULT_JSON_LIMITS.maxFreeDepth, jsonOptions = {} } = options
  const maxPairs = numberFor(options.maxValues, method) ?? DEFAULT_JSON_LIMITS.maxValues
  const shared = { ignoreUnknown: options.unknownQuery === 'ignore', hint, maxPairs }
  const taken = variables.map((fields) => ({ fields, by: 'the path' }))
  if (bodyField !== undefined) taken.push({ fields: [bodyField], by: 'the body' })
  const query: ParameterRules = {
    ...shared,
    kind: 'query parameter',
    taken,
    closed: rule.body === '*' ? 'is not accepted: fields that are not in the path belong in the body' : undefined,
    allowed: new Set(options.systemParameters),
  }
  const form: ParameterRules = { ...shared, kind: 'form field', ...options.formRules?.(method) }
  const reader = {
    ...jsonOptions,
    hint,
    ignores: options.ignoredFields?.(method),
    limits: { maxValues: maxPairs, maxFreeDepth },
  }
  const requestBody = rule.body === '' ? noBody : compileRequestBody(input, bodyField, reader, form)
  const requestTypes = options.requestTypes?.(method)
  const decodeSlashes = options.fullyDecodeReservedExpansion === true
  return {
    httpMethod: rule.method,
    template,
    path: templateToString(template),
    interceptors: options.interceptors ?? [],
    maxBodyBytes: numberFor(options.maxBodyBytes, method) ?? DEFAULT_MAX_BODY_BYTES,
    maxTimeoutMs: options.maxTimeoutMs,
    emptyResponse: options.emptyResponse?.(method) ?? false,
    /** The types of body that its method and its mapping both take. */
    accepts:
      requestBody.accepts === 'raw'
        ? requestBody.accepts
        : requestBody.accepts.filter((type) => requestTypes?.includes(type) ?? true),
    /** Throws `invalid_argument` for a field that the message, as the body has filled it, has with another value. */
    bindPath: (message: ReflectMessage, captures: readonly string[]): void => {
      for (const [index, path] of variables.entries()) {
        const keepSlash = template.variables[index]?.multi === true && !decodeSlashes
        setFromPath(message, path, captures[index] ?? '', keepSlash)
      }
    },
    bindQuery: (message: ReflectMessage, encoded: string): void => bindParameters(message, encoded, query),
    requestBody,
    responseBody: compileResponseBody(output, responseField, jsonOptions),
    eventIds,
  }
}

/** An option that may be a function of the method. */
function numberFor(option: number | ((method: DescMethod) => number) | undefined, method: DescMethod) {
  return typeof option === 'function' ? option(method) : option
}

function resolveVariables(path: string, template: PathTemplate, input: DescMessage, faults: string[]): FieldPath[] {
  const resolved: FieldPath[] = []
  for (const variable of template.variables) {
    const name = variable.fieldPath.join('.')
    const where = `path ${JSON.stringify(path)}: column ${variable.column}: variable ${JSON.stringify(name)}`
    const fields = resolveFieldPath(input, variable.fieldPath, findByProtoName)
    if (typeof fields === 'string') faults.push(`${where}: ${fields}`)
    else if (fields.at(-1)?.fieldKind === 'list') faults.push(`${where}: a repeated field cannot be bound by the path`)
    else if (resolved.some((other) => startsWithPath(fields, other) || startsWithPath(other, fields))) {
      faults.push(`${where}: bound twice`)
    } else if (resolved.some((other) => excludesPath(fields, other))) {
      faults.push(`${where}: the path binds another member of the same oneof`)
    } else resolved.push(fields)
  }
  return resolved
}

function resolveBodyField(option: string, name: string, desc: DescMessage, faults: string[]): DescField | undefined {
  if (name === '' || (name === '*' && option === 'body')) return undefined
  const field = findByProtoName(desc, name)
  if (field === undefined) {
    const hint = name.includes('.') ? ' (it must be a field of the message itself)' : ''
    faults.push(`${option} ${JSON.stringify(name)}: no such field in ${desc.typeName}${hint}`)
  }
  return field
}

/** Sets a field to a text of the path. Throws `invalid_argument` if the body has given it another value. */
function setFromPath(message: ReflectMessage, path: FieldPath, captured: string, keepSlash: boolean): void {
  const name = fieldPathToString(path)
  const given = valueAt(message, path)
  setFromText(message, path, decodePercent(captured, name, keepSlash), name)
  if (given !== undefined && !isDeepStrictEqual(given, valueAt(message, path))) {
    throw invalidArgument(
      path.map(({ jsonName }) => jsonName).join('.'),
      'differs from the path: omit it from the body, or send the same value as in the path',
    )
  }
}
