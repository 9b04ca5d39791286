import { descriptionLimits, nameLimits, optionalNameLimits, type TextLimits } from '../../domain/value/text-field.js'
import { timestampOf } from '../../domain/value/timestamp.js'
import type { AgentCard, AgentSecurityScheme, AgentSkill } from '../../store/app-instance.js'
import { textOf, textsOf } from '../field-values.js'

const urlLimits: TextLimits = { max: 2048 }

/** The card as it is stored: the JSON of the API with its time in UTC. Throws a ServiceError that names the field. */
export function agentCardOf(field: string, card: AgentCard): AgentCard {
  textOf(`${field}.name`, card.name, optionalNameLimits)
  textOf(`${field}.description`, card.description, descriptionLimits)
  textOf(`${field}.url`, card.url, urlLimits)
  textOf(`${field}.version`, card.version, optionalNameLimits)
  textOf(`${field}.workflowId`, card.workflowId, optionalNameLimits)
  for (const [index, skill] of card.skills.entries()) checkSkill(`${field}.skills[${index}]`, skill)
  for (const [index, scheme] of card.securitySchemes.entries())
    checkScheme(`${field}.securitySchemes[${index}]`, scheme)
  const { lastSyncedAt: given, ...rest } = card
  const lastSyncedAt = timestampOf(`${field}.lastSyncedAt`, given)
  return lastSyncedAt === null ? rest : { ...rest, lastSyncedAt }
}

function checkSkill(field: string, skill: AgentSkill): void {
  textOf(`${field}.id`, skill.id, optionalNameLimits)
  textOf(`${field}.name`, skill.name, optionalNameLimits)
  textOf(`${field}.description`, skill.description, descriptionLimits)
  textsOf(`${field}.tags`, skill.tags, nameLimits)
  textsOf(`${field}.examples`, skill.examples, descriptionLimits)
  textsOf(`${field}.inputModes`, skill.inputModes, nameLimits)
  textsOf(`${field}.outputModes`, skill.outputModes, nameLimits)
}

function checkScheme(field: string, scheme: AgentSecurityScheme): void {
  textOf(`${field}.name`, scheme.name, optionalNameLimits)
  textOf(`${field}.openIdConnectUrl`, scheme.openIdConnectUrl, urlLimits)
  textOf(`${field}.flow`, scheme.flow, optionalNameLimits)
  textOf(`${field}.oauth2MetadataUrl`, scheme.oauth2MetadataUrl, urlLimits)
  textsOf(`${field}.scopes`, scheme.scopes, nameLimits)
}
