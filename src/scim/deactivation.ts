import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { isJsonObject, memberOf } from './json.js'
import { isNameOf } from './schema.js'
import { userSchema } from './user-attributes.js'

export function isInactive(body: JsonObject): boolean {
  return isFalse(memberOf(body, 'active'))
}

/** Whether the last operation of a PATCH that says so makes the user inactive, even if others cannot be read. */
export function deactivates(body: JsonObject): boolean {
  const operations = memberOf(body, 'Operations')
  const said = (Array.isArray(operations) ? operations : []).flatMap((operation) => {
    return isJsonObject(operation) ? statesOf(operation) : []
  })
  return said.length > 0 && isFalse(said.at(-1))
}

const paths = ['active', `${userSchema.id}:active`.toLowerCase()]

function statesOf(operation: JsonObject): JsonValue[] {
  const [op, path, value] = ['op', 'path', 'value'].map((name) => memberOf(operation, name))
  if (value === undefined || typeof op !== 'string' || !['add', 'replace'].includes(op.toLowerCase())) return []
  if (typeof path === 'string' && path !== '') return statesAt(path.trim(), value)
  return isJsonObject(value) ? Object.entries(value).flatMap(([name, member]) => statesAt(name, member)) : []
}

function statesAt(path: string, value: JsonValue): JsonValue[] {
  if (paths.includes(path.toLowerCase())) return [value]
  const state = isNameOf(userSchema, path) && isJsonObject(value) ? memberOf(value, 'active') : undefined
  return state === undefined ? [] : [state]
}

/** Microsoft Entra writes booleans as strings, and single values as lists. */
function isFalse(value: JsonValue | undefined): boolean {
  const [one] = Array.isArray(value) ? value : [value]
  return one === false || (typeof one === 'string' && one.trim().toLowerCase() === 'false')
}
