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
import type { JsonOptions } from '../protojson/json-printer.js'
import { type CompiledBinding, compileBinding } from './compile-route.js'
import { type HttpRule, httpRuleFromMethod } from './http-rule.js'
import { DEFAULT_MAX_BODY_BYTES, type RestTranscoderOptions } from './options.js'
import type { RequestBody } from './request-body.js'
import { createRouteTrie } from './route-trie.js'
import { type PathTemplate, templateToString } from './template.js'

/** A binding with the implementation that it leads to and the settings of its method. */
export interface Route {
  /** The template of its path. */
  readonly path: string
  readonly binding: CompiledBinding
  readonly method: DescMethod
  readonly spec: MethodImplSpec & { kind: 'unary' | 'server_streaming' }
  readonly interceptors: readonly Interceptor[]
  readonly maxBodyBytes: number
  readonly maxTimeoutMs: number | undefined
  /** The types of body that its method and its mapping both take. */
  readonly accepts: RequestBody['accepts']
  readonly emptyResponse: boolean
}

/**
 * Compiles every rule of every registered method. All faults (templates, fields, streams that HTTP cannot carry, two
 * bindings of one shape, verb and method) are thrown as one error that names the methods. `json` are the options with
 * the types of all services.
 */
export function createRouteTable(options: RestTranscoderOptions) {
  const recorded = recordRoutes(options.routes)
  const registry = options.jsonOptions?.registry ?? registryFromMethods(recorded)
  const json: JsonOptions = { ...options.jsonOptions, registry }
  const trie = createRouteTrie<Route>()
  const faults: string[] = []
  /** The paths of default bindings, which are those of the RPC protocols too. */
  const defaultPaths = new Set<string>()
  /** The path of every binding, to suggest for those that are nearly right. */
  const templates: PathTemplate[] = []

  function addMethod({ spec, options: own }: RecordedMethod): void {
    const { method } = spec
    const name = `${method.parent.typeName}.${method.name}`
    const fault = (text: string): unknown => faults.push(`${name}: ${text}`)
    const rule = httpRuleFromMethod(method)
    if (spec.kind !== 'unary' && spec.kind !== 'server_streaming') {
      if (rule !== undefined) fault('a stream of requests cannot be mapped to HTTP')
      return
    }
    const { maxBodyBytes } = options
    const requestTypes = options.requestTypes?.(method)
    const limit = typeof maxBodyBytes === 'function' ? maxBodyBytes(method) : maxBodyBytes
    const settings = {
      method,
      spec,
      interceptors: own.interceptors ?? options.interceptors ?? [],
      maxBodyBytes: own.readMaxBytes ?? limit ?? DEFAULT_MAX_BODY_BYTES,
      maxTimeoutMs: own.maxTimeoutMs ?? options.maxTimeoutMs,
      emptyResponse: options.emptyResponse?.(method) ?? false,
    }
    const ownJson: JsonOptions = { ...json, ...own.jsonOptions }
    if (rule?.additionalBindings.some((each) => each.additionalBindings.length > 0) === true) {
      fault('additional_bindings must not nest')
    }
    for (const each of rule === undefined ? defaultRules(method) : [rule, ...rule.additionalBindings]) {
      const found: string[] = []
      const binding = compileBinding(each, method, options, ownJson, found)
      found.forEach(fault)
      if (binding === undefined) continue
      templates.push(binding.template)
      const { accepts } = binding.requestBody
      const path = templateToString(binding.template)
      const held = trie.insert(binding.template, binding.httpMethod, {
        path,
        binding,
        accepts: accepts === 'raw' ? accepts : accepts.filter((type) => requestTypes?.includes(type) ?? true),
        ...settings,
      })
      if (held !== undefined) {
        const theirs = `${held.binding.httpMethod} ${held.path} of ${held.method.parent.typeName}.${held.method.name}`
        faults.push(`${binding.httpMethod} ${path} of ${name} conflicts with ${theirs}`)
      }
    }
  }

  function defaultRules(method: DescMethod): HttpRule[] {
    if (options.defaultBindings !== true) return []
    const path = `/${method.parent.typeName}/${method.name}`
    defaultPaths.add(path)
    return [{ method: 'POST', path, body: '*', responseBody: '', additionalBindings: [] }]
  }

  recorded.forEach(addMethod)
  if (faults.length > 0) {
    throw new Error(`the HTTP rules have ${faults.length} fault(s):\n${faults.map((each) => `- ${each}`).join('\n')}`)
  }
  return { trie, defaultPaths, json, templates }
}

// An Any may contain the well-known types although no file of a service imports them. Later ones win: those types as
// the services know them, if they do.
function registryFromMethods(methods: readonly RecordedMethod[]): Registry {
  const files = new Set<DescFile>([
    file_google_protobuf_any,
    file_google_protobuf_duration,
    file_google_protobuf_empty,
    file_google_protobuf_field_mask,
    file_google_protobuf_struct,
    file_google_protobuf_timestamp,
    file_google_protobuf_wrappers,
  ])
  const add = (file: DescFile): void => {
    if (files.has(file)) return
    files.add(file)
    file.dependencies.forEach(add)
  }
  for (const { spec } of methods) add(spec.method.parent.file)
  return createRegistry(...files)
}
