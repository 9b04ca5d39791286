import type { Tables } from '../../db/tables.js'
import { notFound } from '../../errors.js'
import { type ApiKeyRow, selectApiKeys } from '../../store/api-key.js'
import { type DirectoryRefusalRow, selectDirectoryRefusals } from '../../store/directory/refusal.js'
import { countSuppliedMembers, type DirectoryTotals, lastDirectoryWrite } from '../../store/directory/totals.js'
import { hasOrganization } from '../../store/organization.js'

/** The state of an organization's directory. */
export interface DirectoryStatus {
  /** The management keys with which identity providers are connected, in the order of creation. */
  readonly connections: readonly ApiKeyRow[]
  readonly lastWriteAt: Date | undefined
  readonly users: DirectoryTotals
  /** The last ones, the very last first. */
  readonly refusals: readonly DirectoryRefusalRow[]
}

/** Reads the state of a directory. Throws `RESOURCE_NOT_FOUND` if there is no such organization. */
export async function readDirectoryStatus(tables: Tables, organizationId: string): Promise<DirectoryStatus> {
  if (!(await hasOrganization(tables, organizationId))) throw notFound('organization', organizationId)
  const keys = await selectApiKeys(tables, organizationId)
  return {
    connections: keys.filter(({ kind }) => kind === 'mk'),
    lastWriteAt: await lastDirectoryWrite(tables, organizationId),
    users: await countSuppliedMembers(tables, organizationId),
    refusals: await selectDirectoryRefusals(tables, organizationId),
  }
}
