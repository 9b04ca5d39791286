import type { Message } from '@bufbuild/protobuf'
import { spokenId } from './words.js'

/** The value of a field of a message; undefined where it has none. */
export function memberOf(item: Message, name: string): unknown {
  return Reflect.get(item, name)
}

/** What a thing is called. */
export function nameOf(item: Message): string {
  const field = spokenId(textOf(item, 'internalFieldId'))
  const texts = [
    textOf(item, 'name'),
    field,
    ...['serviceName', 'email', 'url', 'id'].map((name) => textOf(item, name)),
  ]
  return texts.find((text) => text !== '') ?? ''
}

/** The id of a thing. */
export function idOf(item: Message): string {
  return textOf(item, 'id')
}

/** The team of a thing; undefined for one of the organization. */
export function teamOf(item: Message): string | undefined {
  return textOf(item, 'teamId') || undefined
}

function textOf(item: Message, name: string): string {
  const value = memberOf(item, name)
  return typeof value === 'string' ? value : ''
}
