import { type DescField, type Message, toJson } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import type { Date as DateMessage } from '../../../gen/svc/v2/date_pb.js'
import { invalidField } from '../../errors.js'
import { type Column, camelCase, type PartsPlace, type Resource, type ResourceField, type Table } from './resource.js'

/**
 * The values of a row by its columns in camel case. Rows and values in other tables are lists, by the names of their
 * fields.
 */
export type Row = Readonly<Record<string, unknown>>

type Slots = Readonly<Record<string, unknown>>
type Setter = (slots: Slots, row: Record<string, unknown>) => void

/**
 * Makes a function that writes messages as rows, by the declaration of their resource; what is computed or stored
 * elsewhere is ignored. It throws a ServiceError if two items of a list have the same key.
 */
export function createRowWriter({ fields }: Pick<Resource, 'fields'>): (message: Message) => Row {
  const setters = fields.map(setterOf)
  return (message) => {
    const row: Record<string, unknown> = {}
    for (const set of setters) set(message as unknown as Slots, row)
    return row
  }
}

function setterOf({ field, source }: ResourceField): Setter {
  const { localName, jsonName } = field
  switch (source.kind) {
    case 'column': {
      const write = valueWriter(field, source)
      const property = camelCase(source.name)
      return (slots, row) => {
        row[property] = write(slots[localName])
      }
    }
    case 'columns': {
      const write = createRowWriter({ fields: source.resource.fields.map(present) })
      return (slots, row) => {
        if (slots[localName] !== undefined) Object.assign(row, write(slots[localName] as Message))
      }
    }
    case 'parts': {
      const write = createRowWriter(source.resource)
      const key = keyOfItems(source.resource.table, source)
      const keyField = source.resource.fields.find((each) => each.source.kind === 'column' && each.source.name === key)
      return (slots, row) => {
        const rows = (slots[localName] as readonly Message[]).map(write)
        if (key !== undefined) {
          const keys = rows.map((each) => String(each[camelCase(key)]))
          requireDistinct(keys, (index) => `${jsonName}[${index}].${keyField?.field.jsonName}`)
        }
        row[localName] = rows
      }
    }
    case 'values':
      return (slots, row) => {
        requireDistinct(slots[localName] as readonly string[], (index) => `${jsonName}[${index}]`)
        row[localName] = slots[localName]
      }
    case 'computed':
    case 'elsewhere':
      return () => {}
  }
}

/** A field of a message that is present: its empty fields are present as well. */
function present({ field, source }: ResourceField): ResourceField {
  return { field, source: source.kind === 'column' ? { ...source, isNullable: false } : source }
}

/** The column that identifies the rows of one list; undefined if their positions do. */
function keyOfItems({ key }: Table, { parent }: PartsPlace): string | undefined {
  return key.find((column) => column !== 'organization_id' && column !== parent && column !== 'position')
}

/** Refuses a list with a repeated value. `at` gives the path of the field at an index. */
export function requireDistinct(values: readonly string[], at: (index: number) => string): void {
  const firstOf = new Map<string, number>()
  for (const [index, value] of values.entries()) {
    const first = firstOf.get(value)
    if (first !== undefined) throw invalidField(at(index), `repeats ${at(first)}`)
    firstOf.set(value, index)
  }
}

/**
 * Writes a value as its column holds it. An empty value is absent if the column allows that, otherwise it is filled in.
 */
function valueWriter(field: DescField, { type, isNullable }: Column): (value: unknown) => unknown {
  const { message } = field
  if (field.enum !== undefined) {
    const { value: names } = field.enum
    return (value) => names[Number(value)]?.localName
  }
  if (message !== undefined) {
    if (type === 'date') return (value) => value && dateText(value as DateMessage)
    const json = (value: unknown) => toJson(message, value as Message, { alwaysEmitImplicit: true })
    return (value) => (Array.isArray(value) ? value.map(json) : value && json(value))
  }
  const isAbsentEmpty = type === 'timestamptz' || (isNullable && field.presence === FeatureSet_FieldPresence.IMPLICIT)
  return isAbsentEmpty ? (value) => (value === '' ? null : value) : (value) => value
}

function dateText({ year, month, day }: DateMessage): string {
  const [y, m, d] = [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')]
  return `${y}-${m}-${d}`
}
