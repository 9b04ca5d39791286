import { Prisma } from '../../../gen/prisma/client.js'
import { schema } from '../../../gen/prisma/schema.js'
import { type OwnedField, ownedColumns, ownedPlaces } from '../owned-column.js'
import type { Entries, Value } from '../search.js'
import type { SearchRows } from '../search-page.js'
import { ofOrganization } from '../visibility.js'
import { type DirectoryUserColumns, directoryUserColumns, directoryUserColumnTypes, managerName } from './user.js'

/** The members that a directory sees. */
export const searchedMembers: SearchRows<DirectoryUserColumns> = {
  name: 'directory_members',
  table: schema.Membership,
  alias: 'm',
  where: Prisma.sql`m.directory_deleted_at IS NULL`,
  columns: directoryUserColumns,
  types: directoryUserColumnTypes,
  references: Prisma.sql`group_members gm WHERE ${ofOrganization('gm')} AND gm.user_id = m.user_id`,
}

const emailKey = Prisma.sql`m.email_key`
const fullName = Prisma.sql`nullif(btrim(m.first_name || ' ' || m.last_name), '')`

/** The values of a member that can be searched, beside those of governed fields and of the document. */
export const memberValues = {
  id: { sql: Prisma.sql`m.user_id`, isIndexed: true },
  externalId: { sql: Prisma.sql`m.directory_external_id`, isIndexed: true },
  /** The name by which the directory knows the member. */
  name: {
    sql: Prisma.sql`coalesce(m.directory_user_name, ${emailKey})`,
    lookUp: (name) =>
      Prisma.sql`(lower(m.directory_user_name) = lower(${name}::text) OR ${emailKey} = lower(${name}::text))`,
  },
  isActive: { sql: Prisma.sql`(m.deactivated_at IS NULL)` },
  isDirectoryManaged: { sql: Prisma.sql`m.directory_managed` },
  role: { sql: Prisma.sql`('USER_ROLE_' || m.role::text)` },
  managerId: { sql: Prisma.sql`m.manager_user_id`, isIndexed: true },
  managerName: { sql: managerName },
  createdAt: { sql: Prisma.sql`m.created_at` },
  updatedAt: { sql: Prisma.sql`m.updated_at` },
} satisfies Readonly<Record<string, Value>>

export function fieldValue(field: OwnedField): Value {
  return { sql: Prisma.sql`nullif(m.${columnOf(field)}, '')` }
}

function columnOf(field: OwnedField): Prisma.Sql {
  return Prisma.raw(field === 'MANAGER' ? 'manager_user_id' : field.toLowerCase())
}

/** A text in the document, where a path leads; without one, the full name. */
export function documentName(path: readonly string[]): Value {
  const text = Prisma.sql`m.directory_attributes #>> '{${Prisma.raw(path.join())}}'`
  return { sql: Prisma.sql`coalesce(nullif(${text}, ''), ${fullName})` }
}

export const entryValues = {
  value: { sql: Prisma.sql`e.value` },
  type: { sql: Prisma.sql`e.type` },
  display: { sql: Prisma.sql`e.display` },
  primary: { sql: Prisma.sql`e.is_primary` },
} satisfies Readonly<Record<string, Value>>

/** The entries of a list in the document; without any, one of the given type with the value of a governed field. */
export function documentEntries(list: string, type: string, field: OwnedField): Entries {
  return entriesOf(list, type, Prisma.sql`m.${columnOf(field)}`)
}

/** The email addresses in the document; without any, the member's own, of the given type. */
export function documentEmails(list: string, type: string): Entries {
  return {
    ...entriesOf(list, type, emailKey),
    lookUp: (value) => Prisma.sql`(${emailKey} = lower(${value}::text)
      OR lower((m.directory_attributes -> '${Prisma.raw(list)}')::text)::jsonb
         @> jsonb_build_array(jsonb_build_object('value', lower(${value}::text))))`,
  }
}

function entriesOf(name: string, type: string, stored: Prisma.Sql): Entries {
  const list = Prisma.sql`m.directory_attributes -> '${Prisma.raw(name)}'`
  return {
    from: Prisma.sql`(
      SELECT d.entry ->> 'value' AS value, d.entry ->> 'type' AS type, (d.entry ->> 'primary')::boolean IS TRUE AS is_primary,
             d.entry ->> 'display' AS display
        FROM jsonb_array_elements(CASE jsonb_typeof(${list}) WHEN 'array' THEN ${list} ELSE '[]' END) AS d (entry)
       UNION ALL
      SELECT ${stored}, '${Prisma.raw(type)}', true, NULL
       WHERE ${stored} <> '' AND coalesce(${list}, '[]') = '[]'
    ) e WHERE true`,
    primary: entryValues.primary,
  }
}

/** The groups of a member, and what they are called. */
export const memberGroups: Entries = {
  from: Prisma.sql`group_members x JOIN groups o ON ${ofOrganization('o')} AND o.id = x.group_id
    WHERE ${ofOrganization('x')} AND x.user_id = m.user_id`,
}

export const memberGroupValues = {
  id: { sql: Prisma.sql`x.group_id` },
  name: { sql: Prisma.sql`o.name` },
} satisfies Readonly<Record<string, Value>>

/** A row for each governed field, which the label stands for. */
export function fieldOwnerships(labelOf: (field: OwnedField) => string): Entries {
  const rows = ownedPlaces.map(({ field }, index) => {
    const stem = Prisma.raw(`m.${ownedColumns[index]}`)
    return Prisma.sql`('USER_PROFILE_FIELD_${Prisma.raw(field)}', '${Prisma.raw(labelOf(field))}', 'FIELD_OWNER_' || ${stem}_owner::text, ${stem}_owned_since)`
  })
  return { from: Prisma.sql`(VALUES ${Prisma.join(rows)}) AS f (field, label, owner, since) WHERE true` }
}

export const ownershipValues = {
  field: { sql: Prisma.sql`f.field` },
  label: { sql: Prisma.sql`f.label` },
  owner: { sql: Prisma.sql`f.owner` },
  since: { sql: Prisma.sql`f.since` },
} satisfies Readonly<Record<string, Value>>
