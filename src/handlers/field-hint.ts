import { type DescMessage, getOption } from '@bufbuild/protobuf'
import { protoCamelCase } from '@bufbuild/protobuf/reflect'
import { field_hints } from '../../gen/svc/v2/field_hint_pb.js'

/** No name with a hint is longer. */
const MAX_LENGTH = 64

/** What to do instead of giving a field that a message does not have, as its `svc.v2.field_hints` option says. */
export function fieldHint(desc: DescMessage, name: string): string | undefined {
  if (name.length > MAX_LENGTH) return undefined
  const wanted = protoCamelCase(name)
  return getOption(desc, field_hints).find(({ field }) => field === name || field === wanted)?.hint
}
