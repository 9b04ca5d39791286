import { nameLimits, optionalNameLimits } from '../../domain/value/text-field.js'
import { invalidField } from '../../errors.js'
import type { AgentCard } from '../../store/app-instance.js'
import { idOf, optionalIdOf, requireDistinct, textOf, textsOf } from '../field-values.js'
import type { StagedRow } from '../staged-row.js'
import { agentCardOf } from './agent-card.js'

/** A line of the kind `appInstance`. */
export interface AppInstanceRecord {
  readonly id: string
  readonly customServiceId: string
  readonly teamId: string
  readonly externalServiceInstanceId: string
  readonly name: string
  readonly accessRequestsEnabled: boolean
  readonly defaultAccessPolicyId: string
  readonly customServiceName: string
  readonly tagIds: readonly string[]
  readonly integrationIds: readonly string[]
  readonly a2aAgentCard?: AgentCard
  readonly routeDirectFromWorker: boolean
  readonly sharedWithTeamIds: readonly string[]
}

/** The record as a row to be staged. Throws a ServiceError that names the field at fault. */
export function appInstanceRow(record: AppInstanceRecord): StagedRow {
  for (const [index, teamId] of record.sharedWithTeamIds.entries()) {
    const field = `sharedWithTeamIds[${index}]`
    if (idOf(field, teamId) === record.teamId) throw invalidField(field, 'is the team that owns the app instance')
  }
  requireDistinct(record.sharedWithTeamIds, (index) => `sharedWithTeamIds[${index}]`)
  const card = record.a2aAgentCard
  return {
    key: idOf('id', record.id),
    values: {
      id: record.id,
      teamId: idOf('teamId', record.teamId),
      customServiceId: textOf('customServiceId', record.customServiceId, optionalNameLimits),
      externalServiceInstanceId: textOf(
        'externalServiceInstanceId',
        record.externalServiceInstanceId,
        optionalNameLimits,
      ),
      name: textOf('name', record.name, nameLimits),
      accessRequestsEnabled: record.accessRequestsEnabled,
      defaultAccessPolicyId: optionalIdOf('defaultAccessPolicyId', record.defaultAccessPolicyId),
      customServiceName: textOf('customServiceName', record.customServiceName, optionalNameLimits),
      tagIds: textsOf('tagIds', record.tagIds, nameLimits),
      integrationIds: textsOf('integrationIds', record.integrationIds, nameLimits),
      a2aAgentCard: card === undefined ? null : agentCardOf('a2aAgentCard', card),
      routeDirectFromWorker: record.routeDirectFromWorker,
      sharedWithTeamIds: record.sharedWithTeamIds,
    },
  }
}
