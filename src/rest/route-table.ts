import { createRegistry, type DescFile, type DescMethod, type Registry } from '@bufbuild/protobuf'
import * as wellKnown from '@bufbuild/protobuf/wkt'
import { type RecordedMethod, recordRoutes } from '../call/recording-router.js'
import type { JsonOptions } from '../protojson/json-printer.js'
import { compileRoute, type Route } from './compile-route.js'
import { type HttpRule, httpRuleFromMethod } from './http-rule.js'
import type { RestTranscoderOptions } from './options.js'
import { createRouteTrie } from './route-trie.js'
import type { PathTemplate } from './template.js'

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
  /** The path of every binding by its method, to suggest for those that are nearly right. */
  const templates = new Map<string, PathTemplate[]>()

  function addMethod({ spec, options: own }: RecordedMethod): void {
    const { method } = spec
    const name = `${method.parent.typeName}.${method.name}`
    const fault = (text: string): unknown => faults.push(`${name}: ${text}`)
    const rule = httpRuleFromMethod(method)
    if (spec.kind !== 'unary' && spec.kind !== 'server_streaming') {
      if (rule !== undefined) fault('a stream of requests cannot be mapped to HTTP')
      return
    }
    const settings: RestTranscoderOptions = {
      ...options,
      jsonOptions: { ...json, ...own.jsonOptions },
      interceptors: own.interceptors ?? options.interceptors,
      maxBodyBytes: own.readMaxBytes ?? options.maxBodyBytes,
      maxTimeoutMs: own.maxTimeoutMs ?? options.maxTimeoutMs,
    }
    if (rule?.additionalBindings.some((each) => each.additionalBindings.length > 0) === true) {
      fault('additional_bindings must not nest')
    }
    for (const each of rule === undefined ? defaultRules(method) : [rule, ...rule.additionalBindings]) {
      const found: string[] = []
      const route = compileRoute(each, method, settings, found)
      found.forEach(fault)
      if (route === undefined) continue
      templates.set(route.httpMethod, [...(templates.get(route.httpMethod) ?? []), route.template])
      const existing = trie.insert(route.template, route.httpMethod, { ...route, spec })
      if (existing !== undefined) {
        const { parent, name: other } = existing.spec.method
        const theirs = `${existing.httpMethod} ${existing.path} of ${parent.typeName}.${other}`
        faults.push(`${route.httpMethod} ${route.path} of ${name} conflicts with ${theirs}`)
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

// An Any may contain well-known types that no file of a service imports. Later files win: those of services, if they
// have their own versions of these types.
function registryFromMethods(methods: readonly RecordedMethod[]): Registry {
  const files = new Set<DescFile>(Object.values(wellKnown).filter(isFile))
  const add = (file: DescFile): void => {
    if (files.has(file)) return
    files.add(file)
    file.dependencies.forEach(add)
  }
  for (const { spec } of methods) add(spec.method.parent.file)
  return createRegistry(...files)
}

function isFile(value: unknown): value is DescFile {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'file'
}
