import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import type { ScimAttribute, ScimResourceType } from '../store/scim/attribute.js'
import { isSameName } from './attribute-path.js'
import { ScimError } from './error.js'
import { isJsonObject } from './json-object.js'
import { isOptional } from './optional-values.js'
import type { ScimReport } from './report.js'
import { readValue, refuseTooMany } from './value-reader.js'

/**
 * The attributes that a body gives a resource, under the names of their declarations, those of extensions below the URN.
 * Names may be in any case. What is read-only or unknown is left out (RFC 7644 sections 3.3 and 3.5.1), and so are
 * optional values that cannot be read, which are reported. Throws `invalidValue` and `tooMany`.
 */
export function readResource(body: JsonObject, type: ScimResourceType, report: ScimReport): JsonObject {
  refuseTooMany(Object.keys(body).length)
  const read = readAttributes(body, [...type.common, ...type.schema.attributes], '', report)
  for (const name of Object.keys(body)) {
    const extension = type.extensions.find(({ id }) => isSameName(id, name))
    if (extension === undefined) continue
    const value = body[name] ?? null
    if (value !== null && !isJsonObject(value)) throw new ScimError(400, 'invalidValue', `${name} must be an object`)
    const parts = readAttributes(value ?? {}, extension.attributes, `${extension.id}:`, report)
    if (Object.keys(parts).length > 0) read[extension.id] = parts
  }
  return read
}

function readAttributes(
  values: JsonObject,
  attributes: readonly ScimAttribute[],
  prefix: string,
  report: ScimReport,
): Record<string, JsonValue> {
  const read: Record<string, JsonValue> = {}
  const byName = new Map(attributes.map((attribute) => [attribute.name.toLowerCase(), attribute]))
  for (const name of Object.keys(values)) {
    const attribute = byName.get(name.toLowerCase())
    const given = values[name]
    if (given === undefined || attribute === undefined || !isWritable(attribute)) continue
    const readGiven = () => readValue(attribute, given, prefix + attribute.name)
    const value = isOptional(attribute) ? report.readOptional(attribute.name, readGiven) : readGiven()
    if (value !== undefined) read[attribute.name] = value
  }
  return read
}

/** Whether requests can give an attribute; the schemas of a resource follow from its attributes. */
export function isWritable({ mutability, name }: ScimAttribute): boolean {
  return mutability !== 'readOnly' && name !== 'schemas'
}
