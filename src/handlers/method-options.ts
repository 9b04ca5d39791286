import { type DescMessage, type DescMethod, getOption } from '@bufbuild/protobuf'
import { protoCamelCase } from '@bufbuild/protobuf/reflect'
import { field_hints } from '../../gen/svc/v2/field_hint_pb.js'
import { httpFormOf } from '../limits/method-rules.js'
import { DEFAULT_JSON_LIMITS } from '../protojson/json-text.js'

export { outputOnlyNames } from '../limits/output-only.js'

/** The most values that a request of a method can contain, by its `svc.v2.http_form` option or by default. */
export function maxValuesOf(method: DescMethod): number {
  return httpFormOf(method).maxValues || DEFAULT_JSON_LIMITS.maxValues
}

const MAX_HINT_NAME = 64

/** What to do instead of giving a field that a message does not have, as its `svc.v2.field_hints` option says. */
export function fieldHint(desc: DescMessage, name: string): string | undefined {
  if (name.length > MAX_HINT_NAME) return undefined
  const wanted = protoCamelCase(name)
  return getOption(desc, field_hints).find(({ field }) => field === name || field === wanted)?.hint
}
