import { createRegistry, type DescFile, type DescMethod, type Registry } from '@bufbuild/protobuf'
import {
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
} from '@bufbuild/protobuf/wkt'
import type { Interceptor, MethodImplSpec } from '@connectrpc/connect'
import { type RecordedMethod, recordRoutes } from '../call/recording-router.js'
import { createJsonReaders } from '../protojson/json-message.js'
import type { JsonOptions } from '../protojson/json-printer.js'
import type { JsonReaders } from '../protojson/json-reader.js'
import { DEFAULT_JSON_LIMITS } from '../protojson/json-text.js'
import { type BindingOptions, type CompiledBinding, compileBinding } from './compile-route.js'
import { type HttpRule, httpRuleFromMethod } from './http-rule.js'
import { DEFAULT_MAX_BODY_BYTES, type RestTranscoderOptions } from './options.js'
import { createRouteTrie, type RouteTrie } from './route-trie.js'
import { type PathTemplate, templateToString } from './template.js'

/** A binding with the implementation that it leads to and the settings of its method. */
export interface Route {
  /** The template of its path. */
  readonly path: string
  readonly binding: CompiledBinding
  readonly method: DescMethod
  readonly spec: MethodImplSpec & { kind: 'unary' | 'server_streaming' }
  readonly interceptors: readonly Interceptor[]
  readonly json: JsonOptions
  readonly maxBodyBytes: number
  readonly maxTimeoutMs: number | undefined
  readonly requestTypes: readonly string[]
  readonly emptyResponse: boolean
}

// An Any may contain them although no file of a service imports them.
const WELL_KNOWN_FILES = [
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
]

/** All routes of a transcoder, and the JSON options with the types of all its services. */
export interface RouteTable {
  readonly trie: RouteTrie<Route>
  /** The paths of default bindings, which are those of the RPC protocols too. */
  readonly defaultPaths: ReadonlySet<string>
  /** The path of every binding, to suggest for those that are nearly right. */
  readonly templates: readonly PathTemplate[]
  readonly json: JsonOptions
}

/**
 * Compiles every rule of every registered method. All faults (templates, fields, streams that HTTP cannot carry, two
 * bindings of one shape, verb and method) are thrown as one error that names the methods.
 */
export function createRouteTable(options: RestTranscoderOptions): RouteTable {
  const recorded = recordRoutes(options.routes)
  const registry = options.jsonOptions?.registry ?? registryFromMethods(recorded)
  const json: JsonOptions = { ...options.jsonOptions, registry }
  const trie = createRouteTrie<Route>()
  const shared = createJsonReaders({ ...json, hint: options.fieldHint })
  const faults: string[] = []
  const defaultPaths = new Set<string>()
  const templates: PathTemplate[] = []
  for (const method of recorded) {
    for (const rule of bindingRules(method.spec, options, defaultPaths, faults)) {
      addRoute(trie, rule, method, { ...options, jsonOptions: json }, shared, faults, templates)
    }
  }
  if (faults.length > 0) {
    throw new Error(`the HTTP rules have ${faults.length} fault(s):\n${faults.map((each) => `- ${each}`).join('\n')}`)
  }
  return { trie, defaultPaths, json, templates }
}

function bindingRules(
  spec: MethodImplSpec,
  options: RestTranscoderOptions,
  defaultPaths: Set<string>,
  faults: string[],
): HttpRule[] {
  const name = methodName(spec.method)
  const rule = httpRuleFromMethod(spec.method)
  const streamsIn = spec.kind === 'client_streaming' || spec.kind === 'bidi_streaming'
  if (rule === undefined) {
    if (options.defaultBindings !== true || streamsIn) return []
    const path = `/${spec.method.parent.typeName}/${spec.method.name}`
    defaultPaths.add(path)
    return [{ method: 'POST', path, body: '*', responseBody: '', additionalBindings: [] }]
  }
  if (streamsIn) {
    faults.push(`${name}: a stream of requests cannot be mapped to HTTP`)
    return []
  }
  if (rule.additionalBindings.some((each) => each.additionalBindings.length > 0)) {
    faults.push(`${name}: additional_bindings must not nest`)
  }
  return [rule, ...rule.additionalBindings]
}

function addRoute(
  trie: RouteTrie<Route>,
  rule: HttpRule,
  recorded: RecordedMethod,
  options: RestTranscoderOptions,
  shared: JsonReaders,
  faults: string[],
  templates: PathTemplate[],
): void {
  const { spec } = recorded
  if (spec.kind !== 'unary' && spec.kind !== 'server_streaming') return
  const { method } = spec
  const own = recorded.options
  const json: JsonOptions = { ...options.jsonOptions, ...own.jsonOptions }
  const found: string[] = []
  const readers = own.jsonOptions === undefined ? shared : createJsonReaders({ ...json, hint: options.fieldHint })
  const binding = compileBinding(
    rule,
    method.input,
    method.output,
    bindingOptions(method, options, json, readers),
    found,
  )
  faults.push(...found.map((fault) => `${methodName(method)}: ${fault}`))
  if (binding === undefined) return
  templates.push(binding.template)
  const { maxBodyBytes } = options
  const limit = typeof maxBodyBytes === 'function' ? maxBodyBytes(method) : maxBodyBytes
  const held = trie.insert(binding.template, binding.httpMethod, {
    path: templateToString(binding.template),
    binding,
    method,
    spec,
    interceptors: own.interceptors ?? options.interceptors ?? [],
    json,
    maxBodyBytes: own.readMaxBytes ?? limit ?? DEFAULT_MAX_BODY_BYTES,
    maxTimeoutMs: own.maxTimeoutMs ?? options.maxTimeoutMs,
    requestTypes: options.requestTypes?.(method) ?? ['json', 'form'],
    emptyResponse: options.emptyResponse?.(method) ?? false,
  })
  if (held !== undefined) {
    const mine = `${binding.httpMethod} ${templateToString(binding.template)} of ${methodName(method)}`
    const theirs = `${held.binding.httpMethod} ${templateToString(held.binding.template)} of ${methodName(held.method)}`
    faults.push(`${mine} conflicts with ${theirs}`)
  }
}

function bindingOptions(
  method: DescMethod,
  options: RestTranscoderOptions,
  json: JsonOptions,
  readers: JsonReaders,
): BindingOptions {
  return {
    readers,
    json,
    limits: {
      maxValues: options.maxValues ?? DEFAULT_JSON_LIMITS.maxValues,
      maxFreeDepth: options.maxFreeDepth ?? DEFAULT_JSON_LIMITS.maxFreeDepth,
    },
    hint: options.fieldHint,
    ignoreUnknown: options.unknownQuery === 'ignore',
    form: options.formRules?.(method) ?? {},
    systemParameters: new Set(options.systemParameters),
    decodeSlashes: options.fullyDecodeReservedExpansion === true,
  }
}

function methodName(method: DescMethod): string {
  return `${method.parent.typeName}.${method.name}`
}

// Later ones win: the well-known types as the services know them, if they do.
function registryFromMethods(methods: readonly RecordedMethod[]): Registry {
  const files = new Set<DescFile>(WELL_KNOWN_FILES)
  const add = (file: DescFile): void => {
    if (files.has(file)) return
    files.add(file)
    file.dependencies.forEach(add)
  }
  for (const { spec } of methods) add(spec.method.parent.file)
  return createRegistry(...files)
}
