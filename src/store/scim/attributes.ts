import { Prisma } from '../../../gen/prisma/client.js'
import { ofOrganization } from '../tenant.js'
import {
  attribute,
  indexedText,
  keyValue,
  ofEveryRow,
  oneValue,
  parts,
  type ScimAttribute,
  type ScimResourceType,
  type ScimSchema,
  unsearchable,
} from './attribute.js'
import { enterpriseUserSchema, ownershipSchema, userSchema } from './user-attributes.js'

const readOnly = { mutability: 'readOnly' } as const

/** The attributes of every resource, under the alias of its row and with the column of its id. */
function commonAttributes(name: string, row: Prisma.Sql, id: Prisma.Sql): readonly ScimAttribute[] {
  return [
    attribute('schemas', 'The schemas of which the resource has attributes.', unsearchable, {
      type: 'reference',
      multiValued: true,
      required: true,
      caseExact: true,
      returned: 'always',
    }),
    attribute(
      'id',
      'The id of the resource, the same as in the rest of the API.',
      { ...keyValue(id), ofEvery: true },
      { ...readOnly, caseExact: true, returned: 'always', uniqueness: 'server' },
    ),
    attribute(
      'externalId',
      "The provider's own id of the resource.",
      keyValue(Prisma.sql`${row}.directory_external_id`),
      {
        caseExact: true,
        uniqueness: 'server',
      },
    ),
    attribute('meta', 'What the service says of the resource.', parts, {
      type: 'complex',
      ...readOnly,
      subAttributes: [
        attribute('resourceType', 'The type of the resource.', ofEveryRow(Prisma.sql`'${Prisma.raw(name)}'::text`), {
          ...readOnly,
          caseExact: true,
        }),
        attribute('created', 'When it was created.', ofEveryRow(Prisma.sql`${row}.created_at`), {
          ...readOnly,
          type: 'dateTime',
        }),
        attribute('lastModified', 'When it was last changed.', ofEveryRow(Prisma.sql`${row}.updated_at`), {
          ...readOnly,
          type: 'dateTime',
        }),
        attribute('location', 'Its URL.', unsearchable, { ...readOnly, type: 'reference', caseExact: true }),
        attribute('version', 'Its version, the same as in ETag.', unsearchable, { ...readOnly, caseExact: true }),
      ],
    }),
  ]
}

/** The schema of groups (RFC 7643 section 4.2). */
export const groupSchema: ScimSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'A group of members of the organization.',
  attributes: [
    attribute('displayName', 'The name of the group.', indexedText(Prisma.sql`nullif(g.name, '')`), { required: true }),
    attribute(
      'members',
      'The users in the group.',
      {
        kind: 'entries',
        from: Prisma.sql`group_members x JOIN memberships o ON ${ofOrganization('o')} AND o.user_id = x.user_id`,
        where: Prisma.sql`${ofOrganization('x')} AND x.group_id = g.id`,
        narrowed: (value) => Prisma.sql`g.id = ANY (ARRAY(
          SELECT y.group_id FROM group_members y WHERE ${ofOrganization('y')} AND y.user_id = ${value}))`,
      },
      {
        type: 'complex',
        multiValued: true,
        subAttributes: [
          attribute('value', 'The id of the user.', oneValue(Prisma.sql`x.user_id`), {
            mutability: 'immutable',
            caseExact: true,
          }),
          attribute('$ref', 'The URL of the user.', unsearchable, {
            mutability: 'immutable',
            type: 'reference',
            caseExact: true,
            referenceTypes: ['User'],
          }),
          attribute(
            'display',
            'The name of the user.',
            oneValue(Prisma.sql`nullif(btrim(o.first_name || ' ' || o.last_name), '')`),
            readOnly,
          ),
          attribute('type', 'Always User.', oneValue(Prisma.sql`'User'::text`), {
            mutability: 'immutable',
            canonicalValues: ['User'],
          }),
        ],
      },
    ),
  ],
}

/** Users: the members of the organization. */
export const userResourceType: ScimResourceType = {
  name: 'User',
  endpoint: '/Users',
  description: 'Members of the organization.',
  schema: userSchema,
  extensions: [enterpriseUserSchema, ownershipSchema],
  common: commonAttributes('User', Prisma.sql`m`, Prisma.sql`m.user_id`),
}

/** Groups of members. */
export const groupResourceType: ScimResourceType = {
  name: 'Group',
  endpoint: '/Groups',
  description: 'Groups of members of the organization.',
  schema: groupSchema,
  extensions: [],
  common: commonAttributes('Group', Prisma.sql`g`, Prisma.sql`g.id`),
}

/** The types of resources. */
export const resourceTypes: readonly ScimResourceType[] = [userResourceType, groupResourceType]
