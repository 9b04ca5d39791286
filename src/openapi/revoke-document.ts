import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { placeholderGuide } from './fragments.js'
import type { OpenApiDocument } from './openapi-document.js'

const REVOKE_PATH = '/v2/auth/revoke'

/** The description of the revoke operation by itself, cut out of the whole document: OpenAPI 3.1.0, version 1.0.0. */
export function revokeDocument({ info, servers, tags, paths, components }: OpenApiDocument): JsonObject {
  const operation = paths[REVOKE_PATH] ?? {}
  return {
    openapi: '3.1.0',
    info: {
      title: 'API Spec: Revocation of Leaked API Keys',
      version: '1.0.0',
      description: 'Revokes a leaked API key.',
      license: info.license,
    },
    servers,
    externalDocs: placeholderGuide('secret-scanning.md'),
    tags: tags.filter(({ name }) => name === 'Auth'),
    paths: { [REVOKE_PATH]: operation },
    components: usedComponents(operation, components),
  }
}

/** The components that a part of a document refers to, and those that they refer to in turn. */
function usedComponents(part: JsonObject, components: OpenApiDocument['components']): JsonObject {
  const used = new Map<string, JsonValue>()
  const visit = (value: JsonValue): void => {
    for (const [, ref = '', kind = '', name = ''] of JSON.stringify(value).matchAll(
      /"#\/components\/((\w+)\/(\w+))"/g,
    )) {
      const component = components[kind as keyof typeof components]?.[name]
      if (component === undefined) throw new Error(`the document has no ${ref}`)
      if (used.has(ref)) continue
      used.set(ref, component)
      visit(component)
    }
  }
  visit(part)
  const found: { [kind: string]: JsonObject } = {}
  for (const [ref, component] of [...used].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const [kind = '', name = ''] = ref.split('/')
    found[kind] = { ...found[kind], [name]: component }
  }
  return found
}
