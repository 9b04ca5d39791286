import { accessPolicyTable } from './access-policy.js'
import { appInstanceTable } from './app-instance.js'
import { appResourceTable } from './app-resource.js'
import { approvalProcedureTable } from './approval-procedure.js'
import { entityFieldMappingTable } from './entity-field-mapping.js'
import { entityIngestionConfigTable } from './entity-ingestion-config.js'
import { entityTypeTable } from './entity-type.js'
import { groupTable } from './group.js'
import { journeyTable } from './journey.js'
import { organizationTable } from './organization.js'
import { priorityTable } from './priority.js'
import type { RecordKind } from './record-kind.js'
import { slaDefinitionTable } from './sla-definition.js'
import { teamTable } from './team.js'
import type { TransferTable } from './transfer-table.js'
import { userTable } from './user.js'

/** How each kind of record goes in and out. */
export const transferTables: Readonly<Record<RecordKind, TransferTable>> = {
  organization: organizationTable,
  team: teamTable,
  user: userTable,
  group: groupTable,
  accessPolicy: accessPolicyTable,
  approvalProcedure: approvalProcedureTable,
  appInstance: appInstanceTable,
  appResource: appResourceTable,
  priority: priorityTable,
  journey: journeyTable,
  entityType: entityTypeTable,
  entityIngestionConfig: entityIngestionConfigTable,
  entityFieldMapping: entityFieldMappingTable,
  slaDefinition: slaDefinitionTable,
}
