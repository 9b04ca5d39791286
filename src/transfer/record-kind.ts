import type { RecordKind } from '../store/transfer/record-kind.js'
import type { AccessPolicyRecord } from './record/access-policy.js'
import type { AppInstanceRecord } from './record/app-instance.js'
import type { AppResourceRecord } from './record/app-resource.js'
import type { ApprovalProcedureRecord } from './record/approval-procedure.js'
import type { EntityFieldMappingRecord } from './record/entity-field-mapping.js'
import type { EntityIngestionConfigRecord } from './record/entity-ingestion-config.js'
import type { EntityTypeRecord } from './record/entity-type.js'
import type { GroupRecord } from './record/group.js'
import type { JourneyRecord } from './record/journey.js'
import type { OrganizationRecord } from './record/organization.js'
import type { PriorityRecord } from './record/priority.js'
import type { SlaDefinitionRecord } from './record/sla-definition.js'
import type { TeamRecord } from './record/team.js'
import type { UserRecord } from './record/user.js'

/** The records of each kind, in the JSON of the API with every field printed that has no presence. */
export interface RecordTypes extends Record<RecordKind, object> {
  readonly organization: OrganizationRecord
  readonly team: TeamRecord
  readonly user: UserRecord
  readonly group: GroupRecord
  readonly accessPolicy: AccessPolicyRecord
  readonly approvalProcedure: ApprovalProcedureRecord
  readonly appInstance: AppInstanceRecord
  readonly appResource: AppResourceRecord
  readonly priority: PriorityRecord
  readonly journey: JourneyRecord
  readonly entityType: EntityTypeRecord
  readonly entityIngestionConfig: EntityIngestionConfigRecord
  readonly entityFieldMapping: EntityFieldMappingRecord
  readonly slaDefinition: SlaDefinitionRecord
}

/** One record with its kind. */
export type TransferRecord = {
  [Kind in RecordKind]: { readonly kind: Kind; readonly record: RecordTypes[Kind] }
}[RecordKind]
