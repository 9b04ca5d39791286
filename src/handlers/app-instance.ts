import { create } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import {
  type A2aAgentCard,
  A2aAgentCard_SecuritySchemeSchema,
  A2aAgentCard_SkillSchema,
  A2aAgentCardSchema,
  A2aAgentSecuritySchemeKind,
  type AppInstance as AppInstanceMessage,
  AppInstanceSchema,
  type AppInstanceService,
  ListAppInstancesResponseSchema,
} from '../../gen/svc/v2/app_instance_pb.js'
import type { Sql } from '../db/sql.js'
import { type AgentCard, type AppInstance, listAppInstances } from '../domain/app-instance.js'
import type { PageTokens } from '../domain/page-token.js'
import { enumValueFrom } from './enum-name.js'
import { callerOf } from './request-context.js'

/** The service of app instances. */
export function createAppInstanceHandlers({
  database,
  pageTokens,
}: {
  readonly database: Sql
  readonly pageTokens: PageTokens
}): ServiceImpl<typeof AppInstanceService> {
  return {
    async listAppInstances(request, context) {
      const { instances, nextPageToken } = await listAppInstances(database, callerOf(context), request, pageTokens)
      return create(ListAppInstancesResponseSchema, { data: instances.map(appInstanceToMessage), nextPageToken })
    },
  }
}

function appInstanceToMessage({ a2aAgentCard, ...fields }: AppInstance): AppInstanceMessage {
  return create(AppInstanceSchema, {
    ...fields,
    ...(a2aAgentCard !== null && { a2aAgentCard: agentCardToMessage(a2aAgentCard) }),
  })
}

function agentCardToMessage({ skills, securitySchemes, ...fields }: AgentCard): A2aAgentCard {
  return create(A2aAgentCardSchema, {
    ...fields,
    skills: skills.map((skill) => create(A2aAgentCard_SkillSchema, skill)),
    securitySchemes: securitySchemes.map(({ kind, ...scheme }) =>
      create(A2aAgentCard_SecuritySchemeSchema, {
        ...scheme,
        kind: enumValueFrom(A2aAgentSecuritySchemeKind, 'A2A_AGENT_SECURITY_SCHEME_KIND_', kind),
      }),
    ),
  })
}
