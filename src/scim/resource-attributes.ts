import { entityTagOf } from '../domain/value/entity-tag.js'
import type { Reference } from '../store/directory/user.js'
import { any, conditionalTexts, constant, fixed, type Value } from '../store/search.js'
import { shownValue } from './print.js'
import { type Attribute, attribute, presenceOf, type ResourceType, type Schema, shown } from './schema.js'

/** As much as any name of 255 characters has; an entry of an index has room for 2,704 bytes. */
export const sizeOfName = { maxBytes: 1_024 } as const

type TypeName = 'User' | 'Group'

/** The id, the address and the name of another resource. */
export function referenceParts<Row>(
  type: TypeName,
  values: { readonly id: Value; readonly name: Value },
  mutability: 'readOnly' | 'immutable',
): Attribute<Row>[] {
  const what = type.toLowerCase()
  const reference = { mutability, type: 'reference', caseExact: true, referenceTypes: [type] } as const
  return [
    attribute('value', `The id of the ${what}.`, { search: values.id, caseExact: true, mutability }),
    attribute('$ref', `The URL of the ${what}.`, reference),
    shown('display', `The name of the ${what}.`, { search: values.name }),
  ]
}

interface CommonRow {
  readonly directoryExternalId: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: string
}

/**
 * A type of resource: its attributes are those that every one has, and those of its schema, which is the first of
 * `schemas`; the others are extensions.
 */
export function resourceType<Row extends CommonRow>(
  name: TypeName,
  description: string,
  schemas: readonly [Schema<Row>, ...Schema<Row>[]],
  values: Readonly<Record<'id' | 'externalId' | 'createdAt' | 'updatedAt', Value>>,
  idOf: (row: Row) => string,
): ResourceType<Row> {
  const [schema, ...extensions] = schemas
  const conditions = schemas.map(({ id, attributes }, index) => {
    return [id, index === 0 ? constant(true) : any(attributes.map(presenceOf))] as const
  })
  const shownIds = (row: Row, baseUrl: string) =>
    schemas.flatMap(({ id, attributes }) =>
      attributes.some((each) => shownValue(each, row, baseUrl) !== undefined) ? id : [],
    )
  const { entries, value } = conditionalTexts(conditions)
  const attributes: Attribute<Row>[] = [
    shown('schemas', 'The schemas of which the resource has attributes.', {
      entries,
      search: value,
      type: 'reference',
      multiValued: true,
      required: true,
      caseExact: true,
      returned: 'always',
      print: shownIds,
    }),
    shown('id', 'The id of the resource, the same as in the rest of the API.', {
      search: values.id,
      caseExact: true,
      returned: 'always',
      uniqueness: 'server',
      print: idOf,
    }),
    attribute('externalId', "The provider's own id of the resource.", {
      search: values.externalId,
      caseExact: true,
      isStrict: true,
      uniqueness: 'server',
      ...sizeOfName,
      print: (row) => row.directoryExternalId ?? undefined,
    }),
    shown('meta', 'What the service says of the resource.', {
      type: 'complex',
      subAttributes: [
        shown('resourceType', 'The type of the resource.', { search: fixed(name), caseExact: true, print: () => name }),
        shown('created', 'When it was created.', {
          search: values.createdAt,
          type: 'dateTime',
          print: ({ createdAt }) => createdAt.toISOString(),
        }),
        shown('lastModified', 'When it was last changed.', {
          search: values.updatedAt,
          type: 'dateTime',
          print: ({ updatedAt }) => updatedAt.toISOString(),
        }),
        shown('location', 'Its URL.', {
          type: 'reference',
          caseExact: true,
          print: (row, baseUrl) => locationOf(name, idOf(row), baseUrl),
        }),
        shown('version', 'Its version, the same as in ETag.', {
          caseExact: true,
          print: ({ version }) => entityTagOf(version),
        }),
      ],
    }),
    ...schema.attributes,
  ]
  return { name, endpoint: `/${name}s`, description, schema, extensions, attributes }
}

export function locationOf(type: TypeName, id: string, baseUrl: string): string {
  return `${baseUrl}/${type}s/${encodeURIComponent(id)}`
}

export function referencesTo(type: TypeName, references: readonly Reference[], baseUrl: string, kind: string) {
  return references.map(({ value, display }) => ({
    value,
    $ref: locationOf(type, value, baseUrl),
    ...(display !== '' && { display }),
    type: kind,
  }))
}
