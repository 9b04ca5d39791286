import { isDeepStrictEqual } from 'node:util'
import { create, type DescField, type Message, toJson } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import type { Date as DateMessage } from '../../../gen/svc/v2/date_pb.js'
import { invalidField } from '../../errors.js'
import { type Column, camelCase, type PartsPlace, type Resource, type ResourceField, type Table } from './resource.js'

/**
 * The values of a row by its columns in camel case. Lists whose items are in other tables have the names of their
 * fields.
 */
export type Row = Readonly<Record<string, unknown>>

/** Makes the conversions from the fields of a message to its row, and from a row to the names of fields. */
export function createFieldRows<Of extends object>({ desc, fields }: Resource<Of>) {
  return {
    /** The values of the named fields of a request. Throws `FIELD_INVALID` if two items of a list have the same key. */
    valuesOf: (request: object, names: readonly string[]): Partial<Of> => {
      const given = Object.fromEntries(Object.entries(request).filter(([name]) => names.includes(name)))
      const named = fields.filter(({ field }) => names.includes(field.localName))
      // The row follows from the same declaration as its type.
      return rowOf(named, create(desc, given)) as Partial<Of>
    },
    /** The fields that show other values than before, if these are written. */
    changedFields: (before: Partial<Of>, values: Partial<Of>): string[] => {
      const isChanged = (name: string) =>
        name in values && !isDeepStrictEqual(Reflect.get(values, name), Reflect.get(before, name))
      return fields.filter((each) => propertiesOf(each).some(isChanged)).map(({ field }) => field.jsonName)
    },
    /** The fields that a new object with the values shows: all but those that are absent. */
    presentFields: (values: Partial<Of>): string[] => {
      const isGiven = (name: string) => (Reflect.get(values, name) ?? null) !== null
      const isPresent = (each: ResourceField) =>
        each.field.presence !== FeatureSet_FieldPresence.EXPLICIT || propertiesOf(each).some(isGiven)
      return fields.filter(isPresent).map(({ field }) => field.jsonName)
    },
  }
}

/** The properties of a row that a field shows. */
function propertiesOf({ source, property }: ResourceField): readonly string[] {
  switch (source.kind) {
    case 'column':
    case 'parts':
    case 'values':
      return [property]
    case 'columns':
      return source.resource.fields.flatMap(propertiesOf)
    case 'computed':
      return []
    case 'elsewhere':
      return source.of ?? []
  }
}

/**
 * The row of a message, by the fields that its resource declares; what is computed or stored elsewhere is left out.
 * Throws a ServiceError if two items of a list have the same key.
 */
export function rowOf(fields: readonly ResourceField[], message: Message): Row {
  const row: Record<string, unknown> = {}
  for (const field of fields) addValues(row, field, message)
  return row
}

function addValues(row: Record<string, unknown>, { field, source, property }: ResourceField, message: Message): void {
  const value: unknown = Reflect.get(message, field.localName)
  switch (source.kind) {
    case 'column':
      row[property] = storedValue(field, source, value)
      break
    case 'columns':
      if (value !== undefined)
        for (const each of source.resource.fields) addValues(row, present(each), value as Message)
      break
    case 'parts': {
      const { fields, table } = source.resource
      const rows = (value as readonly Message[]).map((part) => rowOf(fields, part))
      row[property] = rows
      const key = keyOfItems(table, source)
      if (key !== undefined) {
        const keyField = fields.find((each) => each.source.kind === 'column' && each.source.name === key)
        const keys = rows.map((each) => String(each[camelCase(key)]))
        requireDistinct(keys, (index) => `${field.jsonName}[${index}].${keyField?.field.jsonName}`)
      }
      break
    }
    case 'values':
      requireDistinct(value as readonly string[], (index) => `${field.jsonName}[${index}]`)
      row[property] = value
      break
    case 'computed':
    case 'elsewhere':
      break
  }
}

/** A field of a message that is present: its empty fields are present as well. */
function present(each: ResourceField): ResourceField {
  const { source } = each
  return source.kind === 'column' ? { ...each, source: { ...source, isNullable: false } } : each
}

/** The column that identifies the rows of one list; undefined if their positions do. */
function keyOfItems({ key }: Table, { parent }: PartsPlace): string | undefined {
  return key.find((column) => column !== 'organization_id' && column !== parent && column !== 'position')
}

/** Refuses a list with a repeated value. `at` gives the path of the field at an index. */
export function requireDistinct(values: readonly string[], at: (index: number) => string): void {
  // Faster than looking each up, and lists can be long.
  if (new Set(values).size === values.length) return
  const firstOf = new Map<string, number>()
  for (const [index, value] of values.entries()) {
    const first = firstOf.get(value)
    if (first !== undefined) throw invalidField(at(index), `repeats ${at(first)}`)
    firstOf.set(value, index)
  }
}

/** A value as its column stores it. An empty one is absent if the column allows that, otherwise it is filled in. */
function storedValue(field: DescField, { type, isNullable }: Column, value: unknown): unknown {
  const { message } = field
  if (field.enum !== undefined) return field.enum.value[Number(value)]?.localName
  if (message !== undefined) {
    if (value === undefined) return null
    if (type === 'date') return dateText(value as DateMessage)
    const json = (each: unknown) => toJson(message, each as Message, { alwaysEmitImplicit: true })
    return Array.isArray(value) ? value.map(json) : json(value)
  }
  const isAbsentEmpty = type === 'timestamptz' || (isNullable && field.presence === FeatureSet_FieldPresence.IMPLICIT)
  return isAbsentEmpty && value === '' ? null : value
}

function dateText({ year, month, day }: DateMessage): string {
  const [y, m, d] = [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')]
  return `${y}-${m}-${d}`
}
