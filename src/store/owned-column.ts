import type { MembershipModel } from '../../gen/prisma/models.js'
import { schema } from '../../gen/prisma/schema.js'
import { camelCase, type Table } from './resource/resource.js'

type Stem = StemOf<keyof typeof schema.Membership.columns>
type StemOf<Column> = Column extends `${infer Before}_owner` ? Before : never
type Name = Extract<keyof MembershipModel, string>
type Prefix = PrefixOf<Name>
type PrefixOf<Each> = Each extends `${infer Before}Owner` ? Before : never

/** A field of a membership that has an owner, under its name in the API without the prefix: `FIRST_NAME`, `MANAGER`. */
export type OwnedField = Uppercase<Stem>

/** Where such a field is in a row. */
export interface OwnedPlace {
  readonly field: OwnedField
  /** `firstName`; `managerUserId` if the value is a member. */
  readonly value: Extract<Prefix | `${Prefix}UserId`, Name>
  readonly owner: `${Prefix}Owner`
  readonly since: `${Prefix}OwnedSince`
  /** Whether unset is null, because the value is unique or refers to something. */
  readonly isNullable: boolean
}

const { columns }: Table = schema.Membership

/**
 * The prefixes of columns with an owner, in the order of `schema.prisma`: `first_name`, since there is
 * `first_name_owner`.
 */
export const ownedColumns = Object.keys(columns).flatMap((column) => /^(.*)_owner$/.exec(column)?.[1] ?? []) as Stem[]

/** The fields that have owners, in the same order. */
export const ownedPlaces = ownedColumns.map((stem) => {
  const value = stem in columns ? stem : `${stem}_user_id`
  const [owner, since] = [`${stem}_owner`, `${stem}_owned_since`].map(camelCase)
  const isNullable = columns[value]?.isNullable === true
  // The types above derive the same names from the schema.
  return { field: stem.toUpperCase(), value: camelCase(value), owner, since, isNullable } as OwnedPlace
})

export function perOwnedField<Each>(make: (place: OwnedPlace) => Each): Record<OwnedField, Each> {
  return Object.fromEntries(ownedPlaces.map((place) => [place.field, make(place)])) as Record<OwnedField, Each>
}
