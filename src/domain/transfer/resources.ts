import type { RecordKind } from '../../store/transfer/record-kind.js'
import { accessPolicyRow } from './access-policy.js'
import { appInstanceRow } from './app-instance.js'
import { appResourceRow } from './app-resource.js'
import { approvalProcedureRow } from './approval-procedure.js'
import { entityFieldMappingRow } from './entity-field-mapping.js'
import { entityIngestionConfigRow } from './entity-ingestion-config.js'
import { entityTypeRow } from './entity-type.js'
import { groupRow } from './group.js'
import type { ImportScope } from './import-scope.js'
import { journeyRow } from './journey.js'
import { organizationRow } from './organization.js'
import { priorityRow } from './priority.js'
import type { RecordTypes } from './record-kind.js'
import { slaDefinitionRow } from './sla-definition.js'
import type { StagedRow } from './staged-row.js'
import { teamRow } from './team.js'
import { userRow } from './user.js'

const rows: { readonly [Kind in RecordKind]: (record: RecordTypes[Kind], scope: ImportScope) => StagedRow } = {
  organization: organizationRow,
  team: teamRow,
  user: userRow,
  group: groupRow,
  accessPolicy: accessPolicyRow,
  approvalProcedure: approvalProcedureRow,
  appInstance: appInstanceRow,
  appResource: appResourceRow,
  priority: priorityRow,
  journey: journeyRow,
  entityType: entityTypeRow,
  entityIngestionConfig: entityIngestionConfigRow,
  entityFieldMapping: entityFieldMappingRow,
  slaDefinition: slaDefinitionRow,
}

/** The record as a row to be staged. Throws a ServiceError that names the field at fault. */
export function stagedRowOf<Kind extends RecordKind>(
  kind: Kind,
  record: RecordTypes[Kind],
  scope: ImportScope,
): StagedRow {
  return rows[kind](record, scope)
}
