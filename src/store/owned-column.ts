import type { MembershipModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { camelCase } from './camel-case.js'
import type { Table } from './resource/resource.js'

type Stem = StemOf<keyof typeof schema.Membership.columns>
type StemOf<Column> = Column extends `${infer Before}_owner` ? Before : never
type Name = Extract<keyof MembershipModel, string>
type Prefix = PrefixOf<Name>
type PrefixOf<Each> = Each extends `${infer Before}Owner` ? Before : never

/** A field of a membership that has an owner, as the API calls it but for its prefix: `FIRST_NAME`, `MANAGER`. */
export type OwnedField = Uppercase<Stem>

/** Where such a field stands in a row. */
export interface OwnedPlace {
  readonly field: OwnedField
  /** `firstName`; where it is a member, `managerUserId`. */
  readonly value: Extract<Prefix | `${Prefix}UserId`, Name>
  readonly owner: `${Prefix}Owner`
  readonly since: `${Prefix}OwnedSince`
  /** Whether no value is null: it is unique or refers to something. */
  readonly isNullable: boolean
}

const { columns }: Table = schema.Membership

/** How the columns of what has an owner begin, in the order of `schema.prisma`: `first_name`, as there is `first_name_owner`. */
export const ownedColumns = Object.keys(columns).flatMap((column) => /^(.*)_owner$/.exec(column)?.[1] ?? [])

/** The fields that have owners, in the same order. */
export const ownedPlaces = ownedColumns.map((stem) => {
  const value = stem in columns ? stem : `${stem}_user_id`
  const [owner, since] = [`${stem}_owner`, `${stem}_owned_since`].map(camelCase)
  const isNullable = columns[value]?.isNullable === true
  // The types above read the same names in the schema.
  return { field: stem.toUpperCase(), value: camelCase(value), owner, since, isNullable } as OwnedPlace
})

/** Makes something of each field that has an owner. */
export function perOwnedField<Each>(make: (place: OwnedPlace) => Each): Record<OwnedField, Each> {
  return Object.fromEntries(ownedPlaces.map((place) => [place.field, make(place)])) as Record<OwnedField, Each>
}
