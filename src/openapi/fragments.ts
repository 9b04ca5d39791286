import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { parse } from 'yaml'
import { packageRoot } from '../package.js'

interface Fragments {
  readonly license: JsonObject
  /** The base addresses in a document that no server serves: callers fill them in. */
  readonly servers: JsonObject[]
  readonly securitySchemes: JsonObject
  readonly parameters: { readonly [Name in 'IdempotencyKey' | 'IfMatch' | 'IfNoneMatch' | 'LastEventId']: JsonObject }
  readonly headers: JsonObject
  /** The error statuses, each with its Connect codes; none if the body is not the usual one. */
  readonly errorStatuses: Readonly<
    Record<string, { description: string; codes: string[]; schema: string; headers?: JsonObject }>
  >
  readonly schemas: JsonObject
}

/** The parts of documents that no schema declares. */
export const fragments = readFragments<Fragments>('fragments.yaml')

const examples = readFragments<{
  readonly standard: Readonly<Record<string, readonly [got: string, updated: string, deleted: string]>>
  readonly parameters: Readonly<Record<string, JsonValue>>
  readonly bodies: Readonly<Record<string, JsonObject>>
}>('examples.yaml')

/** Examples of parameters by the field's fully qualified name: things of the demo organization. */
export const parameterExamples: Readonly<Record<string, JsonValue>> = {
  ...Object.fromEntries(
    Object.entries(examples.standard).flatMap(([name, [got, updated, deleted]]) => [
      [`svc.v2.Get${name}Request.id`, got],
      [`svc.v2.Update${name}Request.id`, updated],
      [`svc.v2.Delete${name}Request.id`, deleted],
    ]),
  ),
  ...examples.parameters,
}

export const bodyExamples = examples.bodies

function readFragments<Content>(name: string): Content {
  const file = join(packageRoot(), 'src', 'openapi', name)
  return parse(readFileSync(file, 'utf8'), { merge: true }) as Content
}

/** The request of a reader who fills in the examples, on the demo organization. */
export interface ScimExample {
  readonly parameters?: Readonly<Record<string, string>>
  readonly body?: JsonObject
}

export interface ScimOperation {
  readonly summary: string
  readonly description: string
  /** The names of parameters other than those of the path, perhaps in lists of their own. */
  readonly parameters?: readonly (string | readonly string[])[]
  readonly body?: string
  readonly status: number
  /** The description of the response; by default that of the operation. */
  readonly response?: string
  readonly schema?: string
  readonly headers?: readonly string[]
  /** The description of the response without a body, if requests can have one with a body instead. */
  readonly otherwise?: string
  readonly example?: ScimExample
}

export const scimFragments = readFragments<{
  readonly tags: Readonly<Record<string, string>>
  readonly parameters: Readonly<Record<string, JsonObject>>
  readonly ifMatch: string
  readonly headers: JsonObject
  readonly errors: Readonly<Record<string, string>>
  readonly operations: Readonly<Record<string, ScimOperation>>
  readonly list: JsonObject & { readonly properties: JsonObject }
  readonly messages: Readonly<Record<string, JsonObject>>
}>('scim-fragments.yaml')

/** The address of the guides, or of one guide, in a document that no server serves. */
export function placeholderGuide(name?: string): JsonObject {
  const guides = 'http://127.0.0.1:8080/docs/guides'
  return { description: 'The guides', url: name === undefined ? guides : `${guides}/${name}` }
}

export function reference(kind: string, name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` }
}

export function defined(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
