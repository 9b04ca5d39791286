import type { Message } from '@bufbuild/protobuf'
import { spokenId } from './words.js'

/** The value of a field of a message; undefined where it has none. */
export function memberOf(item: Message, name: string): unknown {
  return Reflect.get(item, name)
}

const naming = ['name', 'internalFieldId', 'serviceName', 'email', 'url', 'id', 'userId']
/** A character that is seen, unlike a space of no width. */
const visible = /[^\s\p{Default_Ignorable_Code_Point}]/u

/** A name without the marks by which it would turn the text around it. */
export function plainName(name: string): string {
  return name.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
}

/** What a thing or a person is called; one whose name nobody sees, by what else says which it is. */
export function nameOf(item: Message): string {
  const field = naming.find((name) => visible.test(textOf(item, name))) ?? ''
  return plainName(field === 'internalFieldId' ? spokenId(textOf(item, field)) : textOf(item, field))
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
