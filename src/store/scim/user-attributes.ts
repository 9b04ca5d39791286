import { Prisma } from '../../../gen/prisma/client.js'
import { ownedColumns, ownedPlaces } from '../owned-column.js'
import { ofOrganization } from '../tenant.js'
import {
  type AttributeSource,
  attribute,
  type EntriesSource,
  indexedText,
  keyValue,
  ofEveryRow,
  oneValue,
  parts,
  type ScimAttribute,
  type ScimSchema,
  unsearchable,
} from './attribute.js'

// What the provider has written beside the columns of a membership is its document, `m.directory_attributes`.

const readOnly = { mutability: 'readOnly' } as const

/** A column of texts, where the empty one means none. */
const column = (name: string): AttributeSource => oneValue(Prisma.sql`nullif(m.${Prisma.raw(name)}, '')`)

/** There is an index for the name to be shown, and so for this. */
const fullName = Prisma.sql`nullif(btrim(m.first_name || ' ' || m.last_name), '')`

/** A text of the document, or what stands in for it. */
const documented = (path: string, otherwise: Prisma.Sql) =>
  Prisma.sql`coalesce(nullif(m.directory_attributes #>> '{${Prisma.raw(path)}}', ''), ${otherwise})`

/**
 * The entries of a multi-valued attribute in the document; without any, one that is made of a column. `value` is what
 * the entry's value is, where it is not what the document says.
 */
function entries(name: string, type: string, value: Prisma.Sql, held: Prisma.Sql): EntriesSource {
  const list = Prisma.sql`m.directory_attributes -> '${Prisma.raw(name)}'`
  return {
    kind: 'entries',
    from: Prisma.sql`(
      SELECT ${value} AS value, d.entry ->> 'type' AS type, (d.entry ->> 'primary')::boolean IS TRUE AS is_primary,
             d.entry ->> 'display' AS display
        FROM jsonb_array_elements(CASE jsonb_typeof(${list}) WHEN 'array' THEN ${list} ELSE '[]' END) AS d (entry)
       UNION ALL
      SELECT ${held}, '${Prisma.raw(type)}', true, NULL
       WHERE ${held} <> '' AND coalesce(${list}, '[]') = '[]'
    ) e`,
    where: Prisma.sql`true`,
  }
}

const entryParts = (what: string, types: readonly string[], valueType: ScimAttribute['type'] = 'string') => [
  attribute('value', `The ${what}.`, oneValue(Prisma.sql`e.value`), {
    type: valueType,
    ...(valueType === 'reference' ? { referenceTypes: ['external'], caseExact: true } : {}),
  }),
  attribute('display', 'A text to show instead of the value.', oneValue(Prisma.sql`e.display`)),
  attribute('type', 'What it is used for.', oneValue(Prisma.sql`e.type`), { canonicalValues: types }),
  attribute('primary', 'Whether it is the preferred one; at most one is.', oneValue(Prisma.sql`e.is_primary`), {
    type: 'boolean',
  }),
]

const documentValue = Prisma.sql`d.entry ->> 'value'`
const isWork = Prisma.sql`lower(d.entry ->> 'type') = 'work'`

/**
 * Whether the member has an address, as the own one or in the document. Found by themselves and by an index each: with
 * both conditions on the member, a large organization would be read in the order of the list until the page is full.
 */
const hasEmail = (value: Prisma.Sql) => Prisma.sql`m.ordinal = ANY (ARRAY(
  SELECT x.ordinal FROM memberships x WHERE ${ofOrganization('x')} AND x.email_key = lower(${value})
   UNION ALL
  SELECT y.ordinal FROM memberships y
   WHERE ${ofOrganization('y')} AND lower((y.directory_attributes -> 'emails')::text)::jsonb
         @> jsonb_build_array(jsonb_build_object('value', lower(${value})))))`

/** The name under which the directory knows a user; there is an index for it. */
const userName = Prisma.sql`coalesce(m.directory_user_name, m.email_key)`

const activeAttribute = attribute(
  'active',
  'False deactivates the user: their tokens are no longer accepted, and their email address remains reserved.',
  ofEveryRow(Prisma.sql`(m.deactivated_at IS NULL)`),
  { type: 'boolean' },
)

/** The schema of users (RFC 7643 section 4.1), as far as it is supported. */
export const userSchema: ScimSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A member of the organization.',
  attributes: [
    attribute(
      'userName',
      'The name that identifies the user at the provider. Also the email address, if the provider sends no work email.',
      { kind: 'value', sql: userName, isAscii: true, indexed: ['eq', 'sw'], ofEvery: true },
      { required: true, uniqueness: 'server' },
    ),
    attribute('name', 'The components of the name.', parts, {
      type: 'complex',
      subAttributes: [
        attribute('formatted', 'The full name, for display.', oneValue(documented('name,formatted', fullName))),
        attribute('familyName', 'The last name.', indexedText(Prisma.sql`nullif(m.last_name, '')`), {
          field: 'LAST_NAME',
        }),
        attribute('givenName', 'The first name.', indexedText(Prisma.sql`nullif(m.first_name, '')`), {
          field: 'FIRST_NAME',
        }),
      ],
    }),
    attribute('displayName', 'The display name.', indexedText(documented('displayName', fullName))),
    attribute('title', 'The job title.', column('job_title'), { field: 'JOB_TITLE' }),
    attribute('locale', 'A language tag (BCP 47), such as en-US.', column('locale'), { field: 'LOCALE' }),
    attribute('timezone', 'A name of the IANA time zone database, such as Europe/Berlin.', column('timezone'), {
      field: 'TIMEZONE',
    }),
    activeAttribute,
    attribute(
      'emails',
      'Email addresses. The one with type work is the email address of the user; without one, userName is.',
      {
        ...entries(
          'emails',
          'work',
          Prisma.sql`CASE WHEN ${isWork} THEN m.email_key ELSE ${documentValue} END`,
          Prisma.sql`m.email_key`,
        ),
        narrowed: (value, type) => (type === 'work' ? Prisma.sql`m.email_key = lower(${value})` : hasEmail(value)),
      },
      { type: 'complex', multiValued: true, subAttributes: entryParts('email address', ['work', 'home', 'other']) },
    ),
    attribute(
      'phoneNumbers',
      'Phone numbers. The one with type work, or else with type mobile, is the primary phone, which no other user can have.',
      entries('phoneNumbers', 'work', documentValue, Prisma.sql`m.primary_phone`),
      {
        type: 'complex',
        multiValued: true,
        field: 'PRIMARY_PHONE',
        subAttributes: entryParts('phone number', ['work', 'mobile', 'home', 'fax', 'pager', 'other']),
      },
    ),
    attribute(
      'photos',
      'URLs of pictures. The one with type photo is the avatar.',
      entries('photos', 'photo', documentValue, Prisma.sql`m.avatar_url`),
      {
        type: 'complex',
        multiValued: true,
        field: 'AVATAR_URL',
        subAttributes: entryParts('https URL of a picture', ['photo', 'thumbnail'], 'reference'),
      },
    ),
    attribute(
      'groups',
      'The groups that the user belongs to. To change them, write the groups.',
      {
        kind: 'entries',
        from: Prisma.sql`group_members x JOIN groups o ON ${ofOrganization('o')} AND o.id = x.group_id`,
        where: Prisma.sql`${ofOrganization('x')} AND x.user_id = m.user_id`,
      },
      {
        type: 'complex',
        multiValued: true,
        ...readOnly,
        subAttributes: [
          attribute('value', 'The id of the group.', oneValue(Prisma.sql`x.group_id`), {
            ...readOnly,
            caseExact: true,
          }),
          attribute('$ref', 'The URL of the group.', unsearchable, {
            ...readOnly,
            type: 'reference',
            caseExact: true,
            referenceTypes: ['Group'],
          }),
          attribute('display', 'The name of the group.', oneValue(Prisma.sql`o.name`), readOnly),
          attribute('type', 'Always direct.', oneValue(Prisma.sql`'direct'::text`), {
            ...readOnly,
            canonicalValues: ['direct'],
          }),
        ],
      },
    ),
  ],
}

const managerName = Prisma.sql`(
  SELECT nullif(btrim(b.first_name || ' ' || b.last_name), '') FROM memberships b
   WHERE ${ofOrganization('b')} AND b.user_id = m.manager_user_id)`

/** The attributes of employees (RFC 7643 section 4.3), as far as they are supported. */
export const enterpriseUserSchema: ScimSchema = {
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  name: 'EnterpriseUser',
  description: 'Enterprise attributes of a user.',
  attributes: [
    attribute('department', 'The department.', column('department'), { field: 'DEPARTMENT' }),
    attribute('manager', 'The manager, a user in the same organization.', parts, {
      type: 'complex',
      field: 'MANAGER',
      subAttributes: [
        attribute('value', 'The id of the manager.', keyValue(Prisma.sql`m.manager_user_id`), { caseExact: true }),
        attribute('$ref', 'The URL of the manager.', unsearchable, {
          ...readOnly,
          type: 'reference',
          caseExact: true,
          referenceTypes: ['User'],
        }),
        attribute('displayName', 'The name of the manager.', oneValue(managerName), readOnly),
      ],
    }),
  ],
}

const attributeOfField: Readonly<Record<string, string>> = Object.fromEntries(
  [userSchema, enterpriseUserSchema].flatMap(({ id, attributes }) => {
    const prefix = id === userSchema.id ? '' : `${id}:`
    return attributes.flatMap(({ name, field, subAttributes }) => [
      [field ?? '', `${prefix}${name}`],
      ...subAttributes.map((sub) => [sub.field ?? '', `${prefix}${name}.${sub.name}`]),
    ])
  }),
)

/** The path of the attribute that a governed field is shown as. */
export function attributePathOf(field: string): string {
  const path = attributeOfField[field]
  if (path === undefined) throw new Error(`no attribute stands for ${field}`)
  return path
}

/** A row for each governed field of the membership. */
const ownerships = Prisma.join(
  ownedPlaces.map(({ field }, index) => {
    const stem = Prisma.raw(`m.${ownedColumns[index]}`)
    const [name, path] = [Prisma.raw(field), Prisma.raw(attributePathOf(field))]
    return Prisma.sql`('USER_PROFILE_FIELD_${name}', '${path}', 'FIELD_OWNER_' || ${stem}_owner::text, ${stem}_owned_since)`
  }),
)

/** Who owns the fields of a user: an extension of this service. */
export const ownershipSchema: ScimSchema = {
  id: 'urn:svc:params:scim:schemas:extension:ownership:2.0:User',
  name: 'FieldOwnership',
  description: 'Who owns each field of the user, which decides whose writes are applied.',
  attributes: [
    attribute(
      'fieldOwnership',
      'The owner of each governed field.',
      {
        kind: 'entries',
        from: Prisma.sql`(VALUES ${ownerships}) AS f (field, attribute, owner, since)`,
        where: Prisma.sql`true`,
      },
      {
        type: 'complex',
        multiValued: true,
        ...readOnly,
        subAttributes: [
          attribute('field', 'The name of the field in the API.', oneValue(Prisma.sql`f.field`), {
            ...readOnly,
            caseExact: true,
            canonicalValues: ownedPlaces.map(({ field }) => `USER_PROFILE_FIELD_${field}`),
          }),
          attribute(
            'attribute',
            'The path of the attribute for the field.',
            oneValue(Prisma.sql`f.attribute`),
            readOnly,
          ),
          attribute('owner', 'The class of writer that owns the value.', oneValue(Prisma.sql`f.owner`), {
            ...readOnly,
            caseExact: true,
            canonicalValues: ['FIELD_OWNER_AUTOMATION', 'FIELD_OWNER_PINNED', 'FIELD_OWNER_DIRECTORY'],
          }),
          attribute('since', 'When this owner took over.', oneValue(Prisma.sql`f.since`), {
            ...readOnly,
            type: 'dateTime',
          }),
        ],
      },
    ),
    attribute(
      'directoryManaged',
      'Whether an identity provider manages the user.',
      oneValue(Prisma.sql`m.directory_managed`),
      {
        ...readOnly,
        type: 'boolean',
      },
    ),
    attribute('role', 'The role in the organization.', oneValue(Prisma.sql`('USER_ROLE_' || m.role::text)`), {
      ...readOnly,
      caseExact: true,
      canonicalValues: ['USER_ROLE_ORG_ADMIN', 'USER_ROLE_ORG_MEMBER', 'USER_ROLE_ORG_GUEST'],
    }),
  ],
}
