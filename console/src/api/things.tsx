import type { Message } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
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
import { JourneyService } from '../../../gen/svc/v2/journey_pb.js'
import { PriorityService } from '../../../gen/svc/v2/priority_pb.js'
import { type SlaDefinition, SlaDefinitionService } from '../../../gen/svc/v2/sla_definition_pb.js'
import { TeamService } from '../../../gen/svc/v2/team_pb.js'
import { UserService } from '../../../gen/svc/v2/user_pb.js'
import { WebhookEndpointService } from '../../../gen/svc/v2/webhook_endpoint_pb.js'
import { useCaller, useWhyNot } from './caller-context.js'
import { memberOf, nameOf } from './message.js'
import { usePerson } from './person.js'
import { whyNot } from './rights.js'
import { type ReadMethods, readMethods } from './standard-methods.js'
import { callTagged } from './tagged.js'
import { spokenId } from './words.js'

/** The services of things that others refer to, by the path of their screen. */
const services = {
  people: UserService,
  teams: TeamService,
  groups: GroupService,
  policies: AccessPolicyService,
  apps: AppInstanceService,
  resources: AppResourceService,
  journeys: JourneyService,
  priorities: PriorityService,
  slas: SlaDefinitionService,
  'entity-types': EntityTypeService,
  ingestion: EntityIngestionConfigService,
  keys: ApiKeyService,
  webhooks: WebhookEndpointService,
}

/** What others refer to, by the path of its screen. */
export type Kind = keyof typeof services

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

/** The kinds, in the order of the menu. */
export const kinds = Object.keys(services) as readonly Kind[]
const methods = new Map(kinds.map((kind) => [kind, readMethods(services[kind])]))

/** The methods that read things of a kind. */
export function methodsOf(kind: Kind): ReadMethods {
  return methods.get(kind) ?? readMethods(services[kind])
}

/** So many are read at once, and in all, of a list that is not searched: what comes after is opened by its id. */
const [MAX_NAMES, MAX_LISTED] = [1_000, 10_000]
/** So many are read of a list that is searched, by at most so many characters. */
const [MAX_FOUND, MAX_TEXT] = [30, 64]
const STALE_MILLIS = 300_000

/** Whether the service finds things of a kind by the beginning of a name. */
export function isSearched(kind: Kind): boolean {
  return methodsOf(kind).list.input.field['q'] !== undefined
}

/** The query for things of a kind, in all teams: those that a text finds, or the first of them. */
export function listOptions(transport: Transport, kind: Kind, text: string) {
  const { list } = methodsOf(kind)
  const { field } = list.input
  const q = text.slice(0, MAX_TEXT)
  const ofTeam = field['teamId'] !== undefined && field['includeTotal'] === undefined
  const request = { pageSize: q === '' ? MAX_NAMES : MAX_FOUND, ...(ofTeam && { teamId: '-' }), ...(q && { q }) }
  return queryOptions({
    queryKey: ['choices', kind, q],
    staleTime: STALE_MILLIS,
    queryFn: async ({ signal }): Promise<readonly Message[]> => {
      const items: Message[] = []
      for (let pageToken: string | undefined = ''; pageToken !== undefined && items.length < MAX_LISTED; ) {
        const input = { ...request, ...(pageToken && { pageToken }) }
        const { message } = await callTagged(transport, list, input as never, {}, signal)
        const page = message as unknown as { readonly data: readonly Message[]; readonly nextPageToken?: string }
        items.push(...page.data)
        pageToken = (!isSearched(kind) && page.nextPageToken) || undefined
      }
      return items
    },
  })
}

function useList(kind: Kind, q: string, isAsked: boolean) {
  const why = useWhyNot(methodsOf(kind).list)
  return useQuery({
    ...listOptions(useTransport(), kind, q),
    enabled: isAsked && why === undefined,
    placeholderData: keepPreviousData,
  })
}

/** What can be chosen of a kind, by what its name begins with, or for short lists contains. */
export function useChoices(kind: Kind, text: string, isAsked = true) {
  const teams = useList('teams', '', isAsked)
  const q = text.trim()
  const { data = [], isFetching } = useList(kind, isSearched(kind) ? q : '', isAsked)
  const choices = data.map((item): Choice => {
    const [email, teamId] = [memberOf(item, 'email'), memberOf(item, 'teamId')]
    const detail =
      typeof email === 'string'
        ? email
        : typeof teamId === 'string' && teamId
          ? (nameIn(teams.data, teamId) ?? teamId)
          : ''
    return { id: String(memberOf(item, 'id')), name: nameOf(item), detail }
  })
  const found = isSearched(kind)
    ? choices
    : choices.filter(({ name, id }) => name.toLowerCase().includes(q.toLowerCase()) || id === q)
  return { choices: found, isAsking: isFetching }
}

function nameIn(items: readonly Message[] | undefined, id: string): string | undefined {
  const item = items?.find((each) => memberOf(each, 'id') === id)
  return item && nameOf(item)
}

/**
 * The name of a thing: undefined until it is read, its id where it cannot be. Those of a list are read in one call, and
 * others one by one: all of them, the few that a whole list lacks, or none where a text may be no id.
 */
export function useThingName(kind: Kind, id: string, others: 'all' | 'few' | 'none' = 'all'): string | undefined {
  const transport = useTransport()
  const isPerson = kind === 'people'
  const person = usePerson(isPerson ? id : '')
  const { get } = methodsOf(kind)
  const caller = useCaller()
  const why = whyNot(get, caller)
  const list = useList(kind, '', !isPerson && id !== '')
  const listed = list.data?.find((item) => memberOf(item, 'id') === id)
  const isRead = others === 'all' || (others === 'few' && (list.data?.length ?? 0) < MAX_NAMES)
  const isUnlisted = isRead && !isPerson && id !== '' && list.data !== undefined && listed === undefined
  const { data, error } = useQuery({
    queryKey: ['thing', kind, id],
    enabled: isUnlisted && why === undefined,
    staleTime: STALE_MILLIS,
    queryFn: async () => {
      const { message } = await callTagged(transport, get, { id } as never)
      return memberOf(message, 'data') as Message
    },
  })
  if (isPerson) return person === undefined ? undefined : person?.name || person?.email || id
  const item = listed ?? data
  if (item !== undefined) return nameOf(item)
  const own = kind === 'teams' ? caller.teams.find(({ teamId }) => teamId === id) : undefined
  if (own !== undefined) return own.name
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
