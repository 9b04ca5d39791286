import { Prisma } from '../../../gen/prisma/client.js'
import type { DirectoryRefusalModel } from '../../../gen/prisma/models.js'
import { createStatement } from '../../db/statement.js'
import type { Tables } from '../../db/tables.js'

/** How many refusals of an organization are kept: the last ones. */
export const KEPT_REFUSALS = 100

/** A refusal of a request, or of a value in it. */
export type DirectoryRefusalRow = Omit<DirectoryRefusalModel, 'organizationId'>

/** A refusal to keep; the database adds the time. */
export type NewRefusal = Omit<DirectoryRefusalModel, 'occurredAt' | 'status'> & { readonly status: number }

// Rows that another one removes are left to it: to wait for them, in whatever order, could be a deadlock.
const insert = createStatement<NewRefusal, Record<never, never>>({
  name: 'insert_directory_refusal',
  columns: {},
  text: (refusal) => Prisma.sql`
WITH old AS (
  SELECT r.id FROM directory_refusals r WHERE r.organization_id = ${refusal.organizationId}
   ORDER BY r.id DESC OFFSET ${Prisma.raw(String(KEPT_REFUSALS - 1))}
     FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM directory_refusals r USING old WHERE r.organization_id = ${refusal.organizationId} AND r.id = old.id
)
INSERT INTO directory_refusals (organization_id, id, api_key_id, method, path, status, scim_type, detail, request_id,
                                user_name, external_id, attribute)
VALUES (${refusal.organizationId}, ${refusal.id}::uuid, ${refusal.apiKeyId}, ${refusal.method}, ${refusal.path},
        ${refusal.status}::bigint, ${refusal.scimType}, ${refusal.detail}, ${refusal.requestId}, ${refusal.userName},
        ${refusal.externalId}, ${refusal.attribute})`,
})

/** The statements of this file. */
export const directoryRefusalStatements = [insert]

/** Keeps a refusal, and the last ones before it. */
export async function insertDirectoryRefusal(tables: Pick<Tables, 'run'>, refusal: NewRefusal): Promise<void> {
  await tables.run(insert, refusal)
}

/** The refusals that are kept, the last one first. */
export function selectDirectoryRefusals(tables: Tables, organizationId: string): Promise<DirectoryRefusalRow[]> {
  return tables.models.directoryRefusal.findMany({
    where: { organizationId },
    orderBy: { id: 'desc' },
    take: KEPT_REFUSALS,
    select: {
      id: true,
      occurredAt: true,
      apiKeyId: true,
      method: true,
      path: true,
      status: true,
      scimType: true,
      detail: true,
      requestId: true,
      userName: true,
      externalId: true,
      attribute: true,
    },
  })
}
