import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { placeholderGuide } from './fragments.js'

const REVOKE_PATH = '/v2/auth/revoke'

/**
 * The interface description of the revoke operation by itself, cut out of the whole document: OpenAPI 3.1.0, version
 * 1.0.0.
 */
export function revokeDocument(whole: JsonObject): JsonObject {
  const operation = objectAt(whole, 'paths', REVOKE_PATH)
  const info = objectAt(whole, 'info')
  return {
    openapi: '3.1.0',
    info: {
      title: 'API Spec: Revocation of Leaked API Keys',
      version: '1.0.0',
      description: 'Revokes a leaked API key.',
      license: info['license'] ?? null,
    },
    servers: whole['servers'] ?? [],
    externalDocs: placeholderGuide('secret-scanning.md'),
    tags: listAt(whole, 'tags').filter((tag) => isObject(tag) && tag['name'] === 'Auth'),
    paths: { [REVOKE_PATH]: operation },
    components: usedComponents(operation, whole),
  }
}

/** The components that a part of the document refers to, and those that they refer to in turn. */
function usedComponents(part: JsonValue, whole: JsonObject): JsonObject {
  const used = new Set<string>()
  const visit = (value: JsonValue): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (!isObject(value)) return
    const ref = value['$ref']
    if (typeof ref === 'string' && !used.has(ref)) {
      used.add(ref)
      visit(objectAt(whole, ...ref.slice('#/'.length).split('/')))
    }
    Object.values(value).forEach(visit)
  }
  visit(part)
  const components: { [kind: string]: JsonObject } = {}
  for (const ref of [...used].sort()) {
    const [, , kind = '', name = ''] = ref.split('/')
    components[kind] = { ...components[kind], [name]: objectAt(whole, 'components', kind, name) }
  }
  return components
}

function objectAt(value: JsonValue, ...keys: string[]): JsonObject {
  const found = keys.reduce<JsonValue | undefined>((at, key) => (isObject(at) ? at[key] : undefined), value)
  if (!isObject(found)) throw new Error(`the document has no ${keys.join('.')}`)
  return found
}

function listAt(value: JsonObject, key: string): JsonValue[] {
  const found = value[key]
  if (!Array.isArray(found)) throw new Error(`the document has no list ${key}`)
  return found
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
