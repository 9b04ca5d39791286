import type { JsonPieces } from './json-pieces.js'
import { JSON_TEXT } from './preprinted-json.js'

/**
 * A list of messages whose JSON is known before the messages are: `json` is the text of the array, in pieces, exactly as
 * the printer would print what `read` answers. Printing takes the text; everything else that looks at the list makes the messages
 * first. A list that is changed is printed as it then is.
 */
export function preprintedList<T>(json: JsonPieces, read: () => T[]): T[] {
  let known: JsonPieces | undefined = json
  let isRead = false
  const items = (target: T[]): T[] => {
    if (!isRead) {
      isRead = true
      for (const item of read()) target.push(item)
    }
    return target
  }
  const changed = (target: T[]): T[] => {
    known = undefined
    return items(target)
  }
  return new Proxy<T[]>([], {
    get: (target, key) => (key === JSON_TEXT ? known : Reflect.get(items(target), key)),
    has: (target, key) => Reflect.has(items(target), key),
    ownKeys: (target) => Reflect.ownKeys(items(target)),
    getOwnPropertyDescriptor: (target, key) => Reflect.getOwnPropertyDescriptor(items(target), key),
    set: (target, key, value) => Reflect.set(changed(target), key, value),
    defineProperty: (target, key, descriptor) => Reflect.defineProperty(changed(target), key, descriptor),
    deleteProperty: (target, key) => Reflect.deleteProperty(changed(target), key),
  })
}
