import { create, toJsonString } from '@bufbuild/protobuf'
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
import type { Queryable } from '../db/queryable.js'
import { type AppInstance, type AppInstancePage, listAppInstances } from '../domain/app-instance.js'
import type { PageTokens } from '../domain/paging/page-token.js'
import { type AgentCard, CARD_MARK } from '../store/app-instance.js'
import { enumValueFrom } from './enum-name.js'
import { betweenTurns, type PreprintOptions, readAtOnce } from './preprint-list.js'
import { callerOf } from './request-context.js'

/** What the service of app instances needs. */
export interface AppInstanceHandlersOptions extends PreprintOptions {
  readonly database: Queryable
  readonly pageTokens: PageTokens
}

/** The service of app instances. */
export function createAppInstanceHandlers({
  database,
  pageTokens,
  preprintList = readAtOnce,
}: AppInstanceHandlersOptions): ServiceImpl<typeof AppInstanceService> {
  return {
    async listAppInstances(request, context) {
      const { nextPageToken, ...page } = await listAppInstances(database, callerOf(context), request, pageTokens)
      await betweenTurns(page.text)
      const json = jsonOfPage(page)
      await betweenTurns(page.text)
      const response = create(ListAppInstancesResponseSchema, { nextPageToken })
      // A list of 10,000 is some megabytes: over JSON it goes from the database to the client as text.
      response.data = preprintList(json, () => (JSON.parse(json.join('')) as AppInstance[]).map(appInstanceToMessage))
      return response
    },
  }
}

/** The JSON of the list, in pieces: its agent cards stand between the parts of the text. */
function jsonOfPage({ text, cards }: Pick<AppInstancePage, 'text' | 'cards'>): string[] {
  const [first = '', ...rest] = cards.length === 0 ? [text] : text.split(CARD_MARK)
  const json = ['[', first]
  for (const [index, card] of cards.entries()) {
    json.push(',"a2aAgentCard":', toJsonString(A2aAgentCardSchema, agentCardToMessage(card), jsonOptions))
    json.push(rest[index] ?? '')
  }
  json.push(']')
  return json
}

/** How the API prints JSON (docs/http.md). */
const jsonOptions = { alwaysEmitImplicit: true }

function appInstanceToMessage({ a2aAgentCard, ...fields }: AppInstance): AppInstanceMessage {
  return create(AppInstanceSchema, {
    ...fields,
    ...(a2aAgentCard !== undefined && { a2aAgentCard: agentCardToMessage(a2aAgentCard) }),
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
