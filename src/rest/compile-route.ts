import { isDeepStrictEqual } from 'node:util'
import type { DescField, DescMessage, Message } from '@bufbuild/protobuf'
import { invalidArgument } from '../protojson/invalid.js'
import type { FieldHint, JsonReaders } from '../protojson/json-field.js'
import type { JsonOptions } from '../protojson/json-printer.js'
import type { JsonLimits } from '../protojson/json-text.js'
import {
  excludesPath,
  type FieldPath,
  fieldPathToString,
  findByProtoName,
  resolveFieldPath,
  startsWithPath,
} from './field-path.js'
import { compileFieldSetter, valueAt } from './field-setter.js'
import type { HttpRule } from './http-rule.js'
import type { FormRules } from './options.js'
import { compileParameterBinder } from './parameter-binder.js'
import { decodePercent } from './percent.js'
import { compileRequestBody, noBody } from './request-body.js'
import { compileResponseBody } from './response-body.js'
import { type PathTemplate, parseTemplate } from './template.js'

/** A compiled binding of a method: how its path, query and bodies are read and written. */
export type CompiledBinding = NonNullable<ReturnType<typeof compileBinding>>

/** The options for compiling the bindings of a method. */
export interface BindingOptions {
  readonly readers: JsonReaders
  readonly json: JsonOptions
  readonly limits: JsonLimits
  readonly hint: FieldHint | undefined
  readonly ignoreUnknown: boolean
  readonly form: FormRules
  readonly systemParameters: ReadonlySet<string>
  readonly decodeSlashes: boolean
}

const HTTP_TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/**
 * Compiles one rule for a pair of message types; adds every fault to `faults`, and returns nothing if there are any.
 */
export function compileBinding(
  rule: HttpRule,
  input: DescMessage,
  output: DescMessage,
  options: BindingOptions,
  faults: string[],
) {
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
  if (faults.length > before || typeof template === 'string') return undefined
  const { readers, limits, hint, ignoreUnknown } = options
  const form = { kind: 'form field', ignoreUnknown, ...options.form, hint, maxPairs: limits.maxValues } as const
  const taken = variables.map((fields) => ({ fields, by: 'the path' }))
  if (bodyField !== undefined) taken.push({ fields: [bodyField], by: 'the body' })
  return {
    httpMethod: rule.method,
    template,
    /** Throws `invalid_argument` for a field that the message, as the body has filled it, has with another value. */
    bindPath: compilePathBinder(template, variables, options.decodeSlashes),
    bindQuery: compileParameterBinder(input, {
      kind: 'query parameter',
      taken,
      closed: rule.body === '*' ? 'is not accepted: fields that are not in the path belong in the body' : undefined,
      ignoreUnknown,
      allowed: options.systemParameters,
      maxPairs: limits.maxValues,
      hint,
    }),
    requestBody: rule.body === '' ? noBody : compileRequestBody(input, bodyField, { readers, limits, form }),
    responseBody: compileResponseBody(output, responseField, options.json),
  }
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

function compilePathBinder(template: PathTemplate, paths: readonly FieldPath[], decodeSlashes: boolean) {
  const binders = paths.map((path, index) => ({
    path,
    set: compileFieldSetter(path),
    name: fieldPathToString(path),
    keepSlash: template.variables[index]?.multi === true && !decodeSlashes,
  }))
  return (message: Message, captures: readonly string[]): void => {
    for (const [index, { path, set, name, keepSlash }] of binders.entries()) {
      const given = valueAt(message, path)
      set(message, decodePercent(captures[index] ?? '', name, keepSlash), name)
      if (given !== undefined && !isDeepStrictEqual(given, valueAt(message, path))) {
        throw invalidArgument(
          path.map(({ jsonName }) => jsonName).join('.'),
          'differs from the path: omit it from the body, or send the same value as in the path',
        )
      }
    }
  }
}
