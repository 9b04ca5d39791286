import { isFieldSet } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import {
  ArchiveSlaDefinitionResponseSchema,
  type CreateSlaDefinitionRequest,
  CreateSlaDefinitionRequestSchema,
  CreateSlaDefinitionResponseSchema,
  GetSlaDefinitionResponseSchema,
  ListSlaDefinitionsResponseSchema,
  type SlaDefinitionService,
  UnarchiveSlaDefinitionResponseSchema,
  type UpdateSlaDefinitionRequest,
  UpdateSlaDefinitionRequestSchema,
  UpdateSlaDefinitionResponseSchema,
} from '../../gen/svc/v2/sla_definition_pb.js'
import type { Scope } from '../domain/caller/scope.js'
import { archiving, listSlaDefinitions, slaDefinitions } from '../domain/sla-definition.js'
import { type NewSlaDefinition, type SlaDefinitionChange, slaDefinitionValues } from '../store/sla-definition.js'
import { printedAnswer } from './printed-answer.js'
import { scopeOf } from './request-context.js'
import { standard } from './standard-methods.js'

/** The service of SLA definitions. */
export const slaDefinitionHandlers: ServiceImpl<typeof SlaDefinitionService> = {
  getSlaDefinition: standard.get(GetSlaDefinitionResponseSchema, slaDefinitions),
  listSlaDefinitions: async ({ teamId }, context) =>
    printedAnswer(ListSlaDefinitionsResponseSchema, await listSlaDefinitions(scopeOf(context), teamId)),
  createSlaDefinition: standard.create(CreateSlaDefinitionResponseSchema, slaDefinitions, newDefinition),
  updateSlaDefinition: standard.update(UpdateSlaDefinitionResponseSchema, slaDefinitions, changeOf),
  archiveSlaDefinition: standard.update(
    ArchiveSlaDefinitionResponseSchema,
    slaDefinitions,
    (_, scope) => archiving(true, scope),
    'sla_definition.archive',
  ),
  unarchiveSlaDefinition: standard.update(
    UnarchiveSlaDefinitionResponseSchema,
    slaDefinitions,
    (_, scope) => archiving(false, scope),
    'sla_definition.unarchive',
  ),
}

function newDefinition(request: CreateSlaDefinitionRequest, { runtime }: Scope): NewSlaDefinition {
  const names = CreateSlaDefinitionRequestSchema.fields.map(({ localName }) => localName)
  const now = runtime.now()
  return { ...(slaDefinitionValues(request, names) as NewSlaDefinition), createdAt: now, updatedAt: now }
}

/** What is given, and empty lists for those to clear. */
function changeOf(request: UpdateSlaDefinitionRequest, { runtime }: Scope): SlaDefinitionChange {
  const given = UpdateSlaDefinitionRequestSchema.fields.filter((field) => isFieldSet(request, field))
  const values = given.map(({ localName }) => localName).filter((name) => name !== 'id' && name !== 'clearFields')
  const names = [...values, ...request.clearFields]
  return names.length === 0 ? {} : { ...slaDefinitionValues(request, names), updatedAt: runtime.now() }
}
