import type { RecordKind } from '../store/transfer/record-kind.js'
import type { ImportScope } from './import-scope.js'
import { accessPolicyRow } from './record/access-policy.js'
import { appInstanceRow } from './record/app-instance.js'
import { appResourceRow } from './record/app-resource.js'
import { approvalProcedureRow } from './record/approval-procedure.js'
import { entityFieldMappingRow } from './record/entity-field-mapping.js'
import { entityIngestionConfigRow } from './record/entity-ingestion-config.js'
import { entityTypeRow } from './record/entity-type.js'
import { groupRow } from './record/group.js'
import { journeyRow } from './record/journey.js'
import { organizationRow } from './record/organization.js'
import { priorityRow } from './record/priority.js'
import { slaDefinitionRow } from './record/sla-definition.js'
import { teamRow } from './record/team.js'
import { userRow } from './record/user.js'
import type { RecordTypes } from './record-kind.js'
import type { StagedRow } from './staged-row.js'

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
