import { Prisma } from '../../gen/prisma/client.js'
import type { MembershipModel } from '../../gen/prisma/models.js'
import { createStatement } from '../db/statement.js'
import type { Tables } from '../db/tables.js'
import { isOneOf } from './visibility.js'

/** Values that only one member of an organization can have. */
export interface UniqueMemberValues {
  /** Keys of email addresses. */
  readonly emails: readonly string[]
  readonly phones: readonly string[]
  /** Names by which the directory calls members who have another email address; in any case. */
  readonly userNames: readonly string[]
  /** Ids by which the directory knows members. */
  readonly externalIds: readonly string[]
}

/** A member who has one of them. */
export interface ValueHolder {
  readonly kind: keyof UniqueMemberValues
  /** As the member has it. */
  readonly value: string
  readonly userId: string
  readonly name: string
  /** Whether the directory calls the member by another name than the email address. */
  readonly hasUserName: boolean
  /** Whether the directory has deleted the member. */
  readonly isDeleted: boolean
}

type Asked = Partial<UniqueMemberValues> & { readonly organizationId: string }

const holders = createStatement<Asked, ValueHolder>({
  name: 'find_value_holders',
  columns: { kind: 'text', value: 'text', userId: 'text', name: 'text', hasUserName: 'bool', isDeleted: 'bool' },
  text: ({ organizationId }) => {
    const holdersOf = (
      kind: ValueHolder['kind'],
      value: Prisma.Sql,
      isAsked = isOneOf(value, { parameter: kind }),
    ) => Prisma.sql`
SELECT ${Prisma.raw(`'${kind}'`)} AS kind, ${value} AS value, m.user_id AS "userId",
       btrim(m.first_name || ' ' || m.last_name) AS name, m.directory_user_name IS NOT NULL AS "hasUserName",
       m.directory_deleted_at IS NOT NULL AS "isDeleted"
  FROM memberships m WHERE m.organization_id = ${organizationId} AND ${isAsked}`
    const hasUserName = Prisma.sql`lower(m.directory_user_name) = ANY ((
       SELECT array_agg(lower(asked)) FROM unnest(${{ parameter: 'userNames' }}::text[]) AS asked)::text[])`
    return Prisma.sql`${holdersOf('emails', Prisma.sql`m.email_key`)}
UNION ALL ${holdersOf('phones', Prisma.sql`m.primary_phone`)}
UNION ALL ${holdersOf('userNames', Prisma.sql`m.directory_user_name`, hasUserName)}
UNION ALL ${holdersOf('externalIds', Prisma.sql`m.directory_external_id`)}`
  },
})

export type ManagedMember = Pick<MembershipModel, 'userId' | 'managerUserId'>

const chains = createStatement<{ readonly organizationId: string; readonly userIds: readonly string[] }, ManagedMember>(
  {
    name: 'read_manager_chains',
    columns: { userId: 'text', managerUserId: 'text' },
    text: ({ organizationId, userIds }) => Prisma.sql`
WITH RECURSIVE chain AS (
  SELECT user_id, manager_user_id
    FROM memberships WHERE organization_id = ${organizationId} AND ${isOneOf(Prisma.sql`user_id`, userIds)}
  UNION
  SELECT m.user_id, m.manager_user_id
    FROM chain JOIN memberships m ON m.organization_id = ${organizationId} AND m.user_id = chain.manager_user_id
)
SELECT user_id AS "userId", manager_user_id AS "managerUserId" FROM chain`,
  },
)

/** The members of the organization who have any of the values, including deactivated ones. */
export async function findValueHolders(
  tables: Tables,
  organizationId: string,
  values: Partial<UniqueMemberValues>,
): Promise<ValueHolder[]> {
  if (Object.values(values).every((some) => some.length === 0)) return []
  return tables.run(holders, { organizationId, ...values })
}

/** The members with these ids, and everyone above them, all the way up. */
export async function readManagerChains(
  tables: Tables,
  organizationId: string,
  userIds: readonly string[],
): Promise<ManagedMember[]> {
  return userIds.length === 0 ? [] : tables.run(chains, { organizationId, userIds })
}
