import type { DescMessage, DescMethodUnary, Message } from '@bufbuild/protobuf'
import { useTransport } from '@connectrpc/connect-query'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { AccessPolicyService } from '../../../gen/svc/v2/access_policy_pb.js'
import { ApiKeyService } from '../../../gen/svc/v2/api_key_pb.js'
import { AppInstanceService } from '../../../gen/svc/v2/app_instance_pb.js'
import { AppResourceService } from '../../../gen/svc/v2/app_resource_pb.js'
import {
  type EntityIngestionConfig,
  EntityIngestionConfigService,
} from '../../../gen/svc/v2/entity_ingestion_config_pb.js'
import { EntityTypeService } from '../../../gen/svc/v2/entity_type_pb.js'
import { GroupService } from '../../../gen/svc/v2/group_pb.js'
import { PriorityService } from '../../../gen/svc/v2/priority_pb.js'
import { type SlaDefinition, SlaDefinitionService } from '../../../gen/svc/v2/sla_definition_pb.js'
import { TeamService } from '../../../gen/svc/v2/team_pb.js'
import { UserService } from '../../../gen/svc/v2/user_pb.js'
import { WebhookEndpointService } from '../../../gen/svc/v2/webhook_endpoint_pb.js'
import { memberOf, nameOf } from '../screens/resource/declaration.js'
import { useWhyNot } from './caller-context.js'
import { useTeamName } from './names.js'
import { usePerson } from './person.js'
import { callTagged } from './tagged.js'
import { spokenId } from './words.js'

type Method = DescMethodUnary<DescMessage, DescMessage>

/** The methods by which things that others refer to are read, by the path of their screen. */
const kinds = {
  people: { list: UserService.method.listUsers, get: UserService.method.getUser },
  teams: { list: TeamService.method.listTeams, get: TeamService.method.getTeam },
  groups: { list: GroupService.method.listGroups, get: GroupService.method.getGroup },
  policies: { list: AccessPolicyService.method.listAccessPolicies, get: AccessPolicyService.method.getAccessPolicy },
  apps: { list: AppInstanceService.method.listAppInstances, get: AppInstanceService.method.getAppInstance },
  resources: { list: AppResourceService.method.listAppResources, get: AppResourceService.method.getAppResource },
  priorities: { list: PriorityService.method.listPriorities, get: PriorityService.method.getPriority },
  'entity-types': { list: EntityTypeService.method.listEntityTypes, get: EntityTypeService.method.getEntityType },
  ingestion: {
    list: EntityIngestionConfigService.method.listEntityIngestionConfigs,
    get: EntityIngestionConfigService.method.getEntityIngestionConfig,
  },
  keys: { list: ApiKeyService.method.listApiKeys, get: ApiKeyService.method.getApiKey },
  slas: { list: SlaDefinitionService.method.listSlaDefinitions, get: SlaDefinitionService.method.getSlaDefinition },
  webhooks: {
    list: WebhookEndpointService.method.listWebhookEndpoints,
    get: WebhookEndpointService.method.getWebhookEndpoint,
  },
} satisfies Readonly<Record<string, { readonly list: Method; readonly get: Method }>>

/** What others refer to, by the path of its screen. */
export type Kind = keyof typeof kinds

/** What the ids in a field are of, by the end of its name. */
const endings: readonly (readonly [ending: RegExp, kind: Kind])[] = [
  [/teamIds?$/i, 'teams'],
  [/groupIds?$/i, 'groups'],
  [/policyIds?$/i, 'policies'],
  [/appInstanceIds?$/i, 'apps'],
  [/entityTypeIds?$/i, 'entity-types'],
  [/ingestionConfigIds?$/i, 'ingestion'],
  [/userIds?$/i, 'people'],
]

/** The kind of things whose ids a field has; undefined for other fields. */
export function kindOf(field: string): Kind | undefined {
  return endings.find(([ending]) => ending.test(field))?.[1]
}

/** Something that can be chosen. */
export interface Choice {
  readonly id: string
  readonly name: string
  readonly detail: string
}

const MAX_NAMES = 1_000
const MAX_FOUND = 30
const STALE_MILLIS = 300_000

function isSearched(kind: Kind): boolean {
  return kinds[kind].list.input.fields.some(({ localName }) => localName === 'q')
}

/** The request for things of a kind, in all teams, that a text finds. */
function requestFor(kind: Kind, q: string): Record<string, string | number> {
  const names = kinds[kind].list.input.fields.map(({ localName }) => localName)
  const ofTeam = names.includes('teamId') && !names.includes('includeTotal')
  return {
    pageSize: isSearched(kind) && q !== '' ? MAX_FOUND : MAX_NAMES,
    ...(ofTeam && { teamId: '-' }),
    ...(q && { q }),
  }
}

function useList(kind: Kind, q: string, isAsked: boolean) {
  const transport = useTransport()
  const list: Method = kinds[kind].list
  const why = useWhyNot(list)
  return useQuery({
    queryKey: ['choices', kind, q],
    enabled: isAsked && why === undefined,
    staleTime: STALE_MILLIS,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<readonly Message[]> => {
      const { message } = await callTagged(transport, list, requestFor(kind, q) as never, {}, signal)
      return (message as unknown as { readonly data: readonly Message[] }).data
    },
  })
}

/** What can be chosen of a kind, by what its name begins with, or for short lists contains. */
export function useChoices(kind: Kind, text: string, isAsked = true) {
  const teamName = useTeamName()
  const q = text.trim()
  const { data = [], isFetching } = useList(kind, isSearched(kind) ? q.slice(0, 64) : '', isAsked)
  const choices = data.map((item): Choice => {
    const [email, teamId] = [memberOf(item, 'email'), memberOf(item, 'teamId')]
    const detail = typeof email === 'string' ? email : typeof teamId === 'string' && teamId ? teamName(teamId) : ''
    return { id: String(memberOf(item, 'id')), name: nameOf(item), detail }
  })
  const found = isSearched(kind)
    ? choices
    : choices.filter(({ name, id }) => name.toLowerCase().includes(q.toLowerCase()) || id === q)
  return { choices: found, isAsking: isFetching }
}

/**
 * The name of a thing: undefined until it is read, its id where it cannot be. Those of a list are read in one call, and
 * others one by one: all of them, the few that a whole list lacks, or none where a text may be no id.
 */
export function useThingName(kind: Kind, id: string, others: 'all' | 'few' | 'none' = 'all'): string | undefined {
  const transport = useTransport()
  const isPerson = kind === 'people'
  const person = usePerson(isPerson ? id : '')
  const why = useWhyNot(kinds[kind].get)
  const list = useList(kind, '', !isPerson && id !== '')
  const listed = list.data?.find((item) => memberOf(item, 'id') === id)
  const isRead = others === 'all' || (others === 'few' && (list.data?.length ?? 0) < MAX_NAMES)
  const isUnlisted = isRead && !isPerson && id !== '' && list.data !== undefined && listed === undefined
  const { data, error } = useQuery({
    queryKey: ['thing', kind, id],
    enabled: isUnlisted && why === undefined,
    staleTime: STALE_MILLIS,
    queryFn: async () => {
      const { message } = await callTagged(transport, kinds[kind].get as Method, { id } as never)
      return memberOf(message, 'data') as Message
    },
  })
  if (isPerson) return person === undefined ? undefined : person?.name || person?.email || id
  const item = listed ?? data
  if (item !== undefined) return nameOf(item)
  return why !== undefined || error || list.error || (!isRead && list.data !== undefined) ? id : undefined
}

/** A link to a thing by its name. */
export function ThingLink({ kind, id }: { readonly kind: Kind; readonly id: string }) {
  const name = useThingName(kind, id)
  if (id === '') return <>–</>
  return <Link to={`/${kind}/${encodeURIComponent(id)}`}>{name ?? '…'}</Link>
}

/** The name of a thing. */
export function ThingName({ kind, id }: { readonly kind: Kind; readonly id: string }) {
  const name = useThingName(kind, id)
  return <>{id === '' ? '–' : (name ?? '…')}</>
}

/** What SLAs and ingestion configs name that no list has, by id with what it is called. */
export function useNamed() {
  const configs = useList('ingestion', '', true).data as readonly EntityIngestionConfig[] | undefined
  const slas = (useList('slas', '', true).data ?? []) as readonly SlaDefinition[]
  const called = (ids: readonly string[]) => new Map(ids.filter(Boolean).map((id) => [id, spokenId(id)]))
  const rules = slas.flatMap(({ attachmentCriteria, conditions }) => [
    ...attachmentCriteria,
    ...conditions.flatMap(({ conditionRule }) => conditionRule ?? []),
  ])
  const valuesOf = (name: string) =>
    rules.filter(({ field }) => field === name).flatMap((rule) => [rule.value, ...rule.values])
  return {
    schedules: called(slas.map(({ scheduleId }) => scheduleId)),
    workflows: new Map([
      ...called(slas.flatMap(({ actionDefinitions }) => actionDefinitions.map(({ workflowId }) => workflowId))),
      ...(configs ?? []).map(
        (config) => [config.workflowId, config.workflowName || spokenId(config.workflowId)] as const,
      ),
    ]),
    /** The values that rules compare a field of tickets with. */
    valuesOf: (name: string) =>
      new Map(
        valuesOf(name)
          .filter(Boolean)
          .map((each) => [each, each.replaceAll('_', ' ')]),
      ),
  }
}

/** A workflow by its name, or by the words in its id. */
export function WorkflowName({ id }: { readonly id: string }) {
  return <span title={id}>{useNamed().workflows.get(id) ?? spokenId(id)}</span>
}
