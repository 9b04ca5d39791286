import type { JsonObject } from '@bufbuild/protobuf'
import { readFragments } from './fragments.js'

/** The request of a reader who fills in the examples, on the demo organization. */
export interface ScimExample {
  /** Of the path or the query, by name. */
  readonly parameters?: Readonly<Record<string, string>>
  readonly body?: JsonObject
}

/** What the document says about an operation. */
export interface ScimOperation {
  readonly summary: string
  readonly description: string
  /** The names of parameters other than those of the path, perhaps in lists of their own. */
  readonly parameters?: readonly (string | readonly string[])[]
  /** The name of the schema of the request. */
  readonly body?: string
  readonly status: number
  /** The description of the response; by default that of the operation. */
  readonly response?: string
  /** The name of the schema of the response. */
  readonly schema?: string
  readonly headers?: readonly string[]
  /** The description of the response without a body, if requests can have one with a body instead. */
  readonly otherwise?: string
  readonly example?: ScimExample
}

/** What `scim-fragments.yaml` holds. */
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
