import { accessPolicyApprovalProcedureStatements } from './access-policy-approval-procedure.js'
import { apiKeyStatements } from './api-key.js'
import { apiKeySessionStatements } from './api-key-session.js'
import { appInstanceStatements } from './app-instance.js'
import { appResourceStatements } from './app-resource.js'
import { auditEventStatements } from './audit-event.js'
import { auditLogStatements } from './audit-log.js'
import { departmentOptionStatements } from './department-option.js'
import { directoryGroupStatements, searchedGroups } from './directory/group.js'
import { searchedMembers } from './directory/member-search.js'
import { directoryRefusalStatements } from './directory/refusal.js'
import { directoryUserStatements } from './directory/user.js'
import { entityFieldMappingStatements } from './entity-field-mapping.js'
import { entityIngestionConfigStatements } from './entity-ingestion-config.js'
import { idempotencyKeyStatements } from './idempotency-key.js'
import { journeyStatements } from './journey.js'
import { lockStatements } from './lock.js'
import { memberStatements } from './member.js'
import { memberValueStatements } from './member-value.js'
import { priorityStatements } from './priority.js'
import { createStatementRegister } from './register.js'
import { revokeAttemptStatements } from './revoke-attempt.js'
import { searchStatements } from './search-page.js'
import { slaDefinitionStatements } from './sla-definition.js'
import { sourceProfileStatements } from './source-profile.js'
import { sweepStatements } from './sweep.js'
import { tokenHolderStatements } from './token-holder.js'
import { importStatements } from './transfer/import.js'
import { stagingStatements } from './transfer/staging.js'
import { transferKindStatements } from './transfer/statements.js'
import { importedUserStatements } from './transfer/user.js'
import { userStatements } from './user.js'
import { userListStatements } from './user-list.js'

/** Every statement of the service by its name. */
export const statements = createStatementRegister([
  ...accessPolicyApprovalProcedureStatements,
  ...apiKeyStatements,
  ...apiKeySessionStatements,
  ...appInstanceStatements,
  ...appResourceStatements,
  ...auditEventStatements,
  ...auditLogStatements,
  ...departmentOptionStatements,
  ...entityFieldMappingStatements,
  ...entityIngestionConfigStatements,
  ...idempotencyKeyStatements,
  ...journeyStatements,
  ...lockStatements,
  ...memberStatements,
  ...memberValueStatements,
  ...priorityStatements,
  ...revokeAttemptStatements,
  ...directoryRefusalStatements,
  ...searchStatements(searchedMembers).map(({ statement }) => statement),
  ...searchStatements(searchedGroups.whole).map(({ statement }) => statement),
  ...searchStatements(searchedGroups.withoutMembers).map(({ statement }) => statement),
  ...directoryGroupStatements,
  ...directoryUserStatements,
  ...slaDefinitionStatements,
  ...sourceProfileStatements,
  ...sweepStatements,
  ...tokenHolderStatements,
  ...userListStatements,
  ...userStatements,
  ...stagingStatements,
  ...transferKindStatements,
  ...importedUserStatements,
  ...importStatements,
])
