import { accessPolicyTransfer } from './access-policy.js'
import { appInstanceTransfer } from './app-instance.js'
import { appResourceTransfer } from './app-resource.js'
import { approvalProcedureTransfer } from './approval-procedure.js'
import { entityFieldMappingTransfer } from './entity-field-mapping.js'
import { entityIngestionConfigTransfer } from './entity-ingestion-config.js'
import { entityTypeTransfer } from './entity-type.js'
import { groupTransfer } from './group.js'
import type { ImportScope } from './import-scope.js'
import { journeyTransfer } from './journey.js'
import { organizationTransfer } from './organization.js'
import { priorityTransfer } from './priority.js'
import type { RecordKind, RecordTypes } from './record-kind.js'
import { slaDefinitionTransfer } from './sla-definition.js'
import { teamTransfer } from './team.js'
import type { StagedRow, TransferResource } from './transfer-resource.js'
import { userTransfer } from './user.js'

/** How each kind of record goes in and out. */
export const transferResources: { readonly [Kind in RecordKind]: TransferResource<RecordTypes[Kind]> } = {
  organization: organizationTransfer,
  team: teamTransfer,
  user: userTransfer,
  group: groupTransfer,
  accessPolicy: accessPolicyTransfer,
  approvalProcedure: approvalProcedureTransfer,
  appInstance: appInstanceTransfer,
  appResource: appResourceTransfer,
  priority: priorityTransfer,
  journey: journeyTransfer,
  entityType: entityTypeTransfer,
  entityIngestionConfig: entityIngestionConfigTransfer,
  entityFieldMapping: entityFieldMappingTransfer,
  slaDefinition: slaDefinitionTransfer,
}

/** The record as a row of its staging table. Throws a ServiceError that names the field at fault. */
export function stagedRowOf<Kind extends RecordKind>(
  kind: Kind,
  record: RecordTypes[Kind],
  scope: ImportScope,
): StagedRow {
  return transferResources[kind].rowOf(record, scope)
}
