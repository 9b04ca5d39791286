import type { JsonObject, JsonValue } from '@bufbuild/protobuf'

/** Whether a value is a JSON object. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The member of an object with a name in any case. */
export function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  const lower = name.toLowerCase()
  return object[name] ?? Object.entries(object).find(([key]) => key.toLowerCase() === lower)?.[1]
}
