import type { NamedObject } from '../domain/name.js'
import { invalidField } from '../errors.js'
import { suggestion } from '../protojson/nearest.js'
import { namedKinds } from '../store/name.js'

/** An object by a text such as `team/team_it`. Throws `FIELD_INVALID`, with the nearest kind, for what is of none. */
export function namedObjectFrom(text: string, index: number): NamedObject {
  const [kind = '', ...id] = text.split('/')
  const type = namedKinds.find((each) => each === kind)
  if (type !== undefined && id.length > 0) return { type, id: id.join('/') }
  const advice = type === undefined ? suggestion(kind, namedKinds) : `give its id too, as in ${type}/123`
  throw invalidField(`objects[${index}]`, `is no kind of object and an id: ${advice}`)
}
