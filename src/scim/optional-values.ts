import type { JsonObject } from '@bufbuild/protobuf'
import { valueFault } from '../domain/directory/directory-sync.js'
import type { ProfileInput, TextField } from '../domain/profile/profile-value.js'
import type { ScimAttribute } from '../store/scim/attribute.js'
import type { ScimReport } from './report.js'
import { entriesOf, entryOfType, entryValue, textIn } from './user-document.js'

/** The fields whose values never keep a person out: one that cannot be taken is left out of the document. */
const optionalFields = ['LOCALE', 'TIMEZONE', 'AVATAR_URL', 'PRIMARY_PHONE'] as const

/** Whether a value of an attribute is left out if it cannot be taken. */
export function isOptional({ field, subAttributes }: ScimAttribute): boolean {
  return [field, ...subAttributes.map((sub) => sub.field)].some((each) => optionalFields.some((one) => one === each))
}

/** Optional values of a document, and the document without those that cannot be taken. */
export interface OptionalValues {
  readonly document: JsonObject
  readonly values: ProfileInput
}

/** How the values of an attribute with several entries become that of a field. */
interface EntryForm {
  readonly name: string
  readonly field: TextField
  /** Whose value it is: the first type that there is, else an entry without one. */
  readonly types: readonly string[]
  readonly textOf: (value: string) => string
}

const photo: EntryForm = { name: 'photos', field: 'AVATAR_URL', types: ['photo', 'thumbnail'], textOf: (url) => url }
/** The number for calls at work, else the mobile one; `tel:` of RFC 3966 is not part of a number. */
const phone: EntryForm = {
  name: 'phoneNumbers',
  field: 'PRIMARY_PHONE',
  types: ['work', 'mobile'],
  textOf: (number) => number.replace(/^tel:/i, ''),
}

/**
 * Takes the optional values of a document: of several entries the first that can be taken. What cannot is reported.
 * `taken` are phone numbers that others have, as they were sent.
 */
export function optionalValuesOf(
  document: JsonObject,
  report: Pick<ScimReport, 'leftOut'>,
  taken: ReadonlySet<string>,
): OptionalValues {
  const values: Partial<Record<TextField, string | undefined>> = {}
  let left = document
  const readText = (name: string, field: TextField, textOf: (text: string) => string) => {
    const text = textIn(left, name)
    if (text === undefined) return
    const fault = valueFault(field, textOf(text))
    if (fault === undefined) values[field] = textOf(text)
    else {
      report.leftOut.set(name, fault)
      left = withMember(left, name, undefined)
    }
  }
  const readEntry = ({ name, field, types, textOf }: EntryForm) => {
    for (;;) {
      const entries = entriesOf(left, name)
      const entry = entryOfType(entries, types)
      const value = entryValue(entry)
      if (entry === undefined || value === undefined) return
      const text = textOf(value)
      const fault = taken.has(text) ? 'another member of the organization has this number' : valueFault(field, text)
      if (fault === undefined) {
        values[field] = text
        return
      }
      report.leftOut.set(`${name}.value`, fault)
      const others = entries.filter((each) => each !== entry)
      left = withMember(left, name, others.length === 0 ? undefined : others)
    }
  }
  // Language tags with an underscore are those of POSIX and Java.
  readText('locale', 'LOCALE', (tag) => tag.replaceAll('_', '-'))
  readText('timezone', 'TIMEZONE', (name) => name)
  readEntry(photo)
  readEntry(phone)
  return { document: left, values }
}

function withMember(object: JsonObject, name: string, value: JsonObject[] | undefined): JsonObject {
  const { [name]: _, ...others } = object
  return value === undefined ? others : { ...others, [name]: value }
}
