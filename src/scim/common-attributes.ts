import { entityTagOf } from '../domain/value/entity-tag.js'
import type { Reference } from '../store/directory/user.js'
import { fixed, type Value } from '../store/search.js'
import { type Attribute, attribute, shown } from './schema.js'

/** As many as any name of 255 characters has; an entry of an index has room for 2,704 bytes. */
export const indexed = { maxBytes: 1_024 } as const

/** The id, the address and the name of another resource. */
export function referenceParts<Row>(
  type: 'User' | 'Group',
  what: string,
  { id, name }: { readonly id: Value; readonly name: Value },
  mutability: 'readOnly' | 'immutable',
) {
  return [
    attribute<Row>('value', `The id of the ${what}.`, { search: id, caseExact: true, mutability }),
    attribute<Row>('$ref', `The URL of the ${what}.`, {
      mutability,
      type: 'reference',
      caseExact: true,
      referenceTypes: [type],
    }),
    shown<Row>('display', `The name of the ${what}.`, { search: name }),
  ]
}

/** The attributes of every resource. */
export function commonAttributes<
  Row extends { readonly createdAt: Date; readonly updatedAt: Date; readonly version: string },
>(
  name: 'User' | 'Group',
  values: Readonly<Record<'id' | 'externalId' | 'createdAt' | 'updatedAt', Value>>,
  { idOf, externalIdOf }: { readonly idOf: (row: Row) => string; readonly externalIdOf: (row: Row) => string | null },
): readonly Attribute<Row>[] {
  return [
    attribute<Row>('schemas', 'The schemas of which the resource has attributes.', {
      search: 'schemas',
      type: 'reference',
      multiValued: true,
      required: true,
      caseExact: true,
      returned: 'always',
    }),
    shown<Row>('id', 'The id of the resource, the same as in the rest of the API.', {
      search: values.id,
      caseExact: true,
      returned: 'always',
      uniqueness: 'server',
      print: idOf,
    }),
    attribute<Row>('externalId', "The provider's own id of the resource.", {
      search: values.externalId,
      caseExact: true,
      uniqueness: 'server',
      ...indexed,
      print: (row) => externalIdOf(row) ?? undefined,
    }),
    shown<Row>('meta', 'What the service says of the resource.', {
      search: 'parts',
      type: 'complex',
      subAttributes: [
        shown<Row>('resourceType', 'The type of the resource.', {
          search: fixed(name),
          caseExact: true,
          print: () => name,
        }),
        shown<Row>('created', 'When it was created.', {
          search: values.createdAt,
          type: 'dateTime',
          print: ({ createdAt }) => createdAt.toISOString(),
        }),
        shown<Row>('lastModified', 'When it was last changed.', {
          search: values.updatedAt,
          type: 'dateTime',
          print: ({ updatedAt }) => updatedAt.toISOString(),
        }),
        shown<Row>('location', 'Its URL.', {
          type: 'reference',
          caseExact: true,
          print: (row, baseUrl) => locationOf(name, idOf(row), baseUrl),
        }),
        shown<Row>('version', 'Its version, the same as in ETag.', {
          caseExact: true,
          print: (row) => versionOf(row),
        }),
      ],
    }),
  ]
}

/** The version of a resource, which every write of its row changes: its `ETag`. */
export function versionOf({ version }: { readonly version: string }): string {
  return entityTagOf(version)
}

/** The address of a resource. */
export function locationOf(type: 'User' | 'Group', id: string, baseUrl: string): string {
  return `${baseUrl}/${type}s/${encodeURIComponent(id)}`
}

export function referencesTo(type: 'User' | 'Group', references: readonly Reference[], baseUrl: string, kind: string) {
  return references.map(({ value, display }) => ({
    value,
    $ref: locationOf(type, value, baseUrl),
    ...(display !== '' && { display }),
    type: kind,
  }))
}
