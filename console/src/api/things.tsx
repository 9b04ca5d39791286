import type { Message } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { AccessPolicyService } from '../../../gen/svc/v2/access_policy_pb.js'
import { ApiKeyService } from '../../../gen/svc/v2/api_key_pb.js'
import { AppInstanceService } from '../../../gen/svc/v2/app_instance_pb.js'
import { AppResourceService } from '../../../gen/svc/v2/app_resource_pb.js'
import { EntityIngestionConfigService } from '../../../gen/svc/v2/entity_ingestion_config_pb.js'
import { EntityTypeService } from '../../../gen/svc/v2/entity_type_pb.js'
import { GroupService } from '../../../gen/svc/v2/group_pb.js'
import { JourneyService } from '../../../gen/svc/v2/journey_pb.js'
import { PriorityService } from '../../../gen/svc/v2/priority_pb.js'
import { type SlaDefinition, SlaDefinitionService } from '../../../gen/svc/v2/sla_definition_pb.js'
import { TeamService } from '../../../gen/svc/v2/team_pb.js'
import { UserService } from '../../../gen/svc/v2/user_pb.js'
import { WebhookEndpointService } from '../../../gen/svc/v2/webhook_endpoint_pb.js'
import { useOwnTeams, useWhyNot } from './caller-context.js'
import { idOf, memberOf, nameOf, teamOf } from './message.js'
import { useName, useNameQuery } from './names.js'
import { itemOf, type ReadMethods, readMethods } from './standard-methods.js'
import { callTagged } from './tagged.js'
import { oneOf, spokenId, thingText } from './words.js'

/** The services of things that others refer to, by the path of their screen. */
export const services = {
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
  readonly email?: string | undefined
  readonly teamId?: string | undefined
}

/** The kinds, in the order of the menu. */
export const kinds = Object.keys(services) as readonly Kind[]
const methods = new Map(kinds.map((kind) => [kind, readMethods(services[kind])]))

/** The methods that read things of a kind. */
export function methodsOf(kind: Kind): ReadMethods {
  return methods.get(kind) ?? readMethods(services[kind])
}

/** What events call a kind, such as `app_instance`. */
export function typeOf(kind: Kind): string {
  const { name } = itemOf(methodsOf(kind).get)
  return name.replaceAll(/\B[A-Z]/g, '_$&').toLowerCase()
}

/** What events are about, by the type of their target: things with names. */
export const targetKinds: Readonly<Record<string, Kind>> = Object.fromEntries(kinds.map((kind) => [typeOf(kind), kind]))

/** So many are listed where nothing is sought, found by at most so many characters, and can be chosen from. */
export const [MAX_LISTED, MAX_FOUND, MAX_TEXT, MAX_CHOICES] = [1_000, 200, 64, 100]
const STALE_MILLIS = 300_000

/** Whether the service finds things of a kind by the beginnings of words. Of the others there are few. */
export function isSearched(kind: Kind): boolean {
  return methodsOf(kind).list.input.field['q'] !== undefined
}

/** The query for things of a kind, in all teams: those that a text finds, or the first of them. */
export function listOptions(transport: Transport, kind: Kind, text: string) {
  const { list } = methodsOf(kind)
  const { field } = list.input
  const q = text.slice(0, MAX_TEXT)
  const ofTeam = field['teamId'] !== undefined && field['includeTotal'] === undefined
  const input = { pageSize: q === '' ? MAX_LISTED : MAX_FOUND, ...(ofTeam && { teamId: '-' }), ...(q && { q }) }
  return queryOptions({
    queryKey: ['choices', kind, q],
    staleTime: STALE_MILLIS,
    queryFn: async ({ signal }) => {
      const { message } = await callTagged(transport, list, input as never, {}, signal)
      return memberOf(message, 'data') as readonly Message[]
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

/** The teams of the things of a kind, as far as they are listed, by id. */
export function useTeamsOf(kind: Kind, isAsked: boolean): ReadonlyMap<string, string | undefined> {
  return new Map(useList(kind, '', isAsked).data?.map((item) => [idOf(item), teamOf(item)]))
}

/** What can be chosen of a kind, by the beginnings of words of its name, or for short lists by what that contains. */
export function useChoices(kind: Kind, text: string, isAsked = true) {
  const q = text.trim()
  const { data = [], isFetching: isAsking, isError, refetch } = useList(kind, isSearched(kind) ? q : '', isAsked)
  const choices = data.map((item): Choice => {
    const email = memberOf(item, 'email') as string | undefined
    return { id: idOf(item), name: nameOf(item), teamId: teamOf(item), email }
  })
  const found = choices.filter(
    ({ name, id }) => isSearched(kind) || name.toLowerCase().includes(q.toLowerCase()) || id === q,
  )
  const rest = ({ name }: Choice) => Number(name.toLowerCase() !== q.toLowerCase())
  const shown = found.toSorted((one, other) => rest(one) - rest(other)).slice(0, MAX_CHOICES)
  return { choices: shown, isCut: shown.length < found.length, isAsking, isError, refetch }
}

/** Whether a thing is none of those that the caller may see, where others may see more. */
export function useIsHidden(kind: Kind, id: string): boolean {
  const isNarrow = useOwnTeams(methodsOf(kind).list) !== undefined
  return useNameQuery(typeOf(kind), id).data === '' && isNarrow
}

/** The name of a thing: undefined until it is read; words for what is hidden, and the id of what is not here. */
export function useThingName(kind: Kind, id: string): string | undefined {
  const name = useName(typeOf(kind), id)
  return useIsHidden(kind, id) ? `${oneOf(thingText(typeOf(kind)))} you cannot see` : name
}

/** A link to a thing by its name. */
export function ThingLink({ kind, id }: { readonly kind: Kind; readonly id: string }) {
  const name = useThingName(kind, id)
  if (useIsHidden(kind, id)) return <span title={id}>{name}</span>
  if (id === '') return <>–</>
  return <Link to={`/${kind}/${encodeURIComponent(id)}`}>{name ?? '…'}</Link>
}

/** The name of a thing. */
export function ThingName({ kind, id }: { readonly kind: Kind; readonly id: string }) {
  const name = useThingName(kind, id)
  return <>{id === '' ? '–' : (name ?? '…')}</>
}

/** What names, in fields of these names, things that no list is of. */
const users: Readonly<Record<string, readonly [Kind, Kind?]>> = {
  customServiceId: ['apps'],
  customServiceName: ['apps'],
  integrationIds: ['apps'],
  tagIds: ['apps', 'resources'],
  resourceType: ['resources'],
  policyGroup: ['slas'],
  scheduleId: ['slas'],
  workflowId: ['slas', 'ingestion'],
}

/** The values that a field without a list of its own has in the organization, each with what it is called; undefined for other fields. */
export function useUsed(field: string): ReadonlyMap<string, string> | undefined {
  const [one, other = one] = users[field] ?? []
  const { data: first } = useList(one ?? 'slas', '', one !== undefined)
  const { data: second } = useList(other ?? 'slas', '', one !== undefined)
  return useMemo(() => {
    const known = new Map<string, string>()
    collect([first, second], field, known)
    return one && new Map([...known].toSorted(([, name], [, next]) => name.localeCompare(next)))
  }, [one, first, second, field])
}

/** Adds the values of a field, anywhere in a value, with the names beside them, or the words in them. */
function collect(value: unknown, field: string, known: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, each] of Object.entries(value)) {
    if (name !== field) collect(each, field, known)
    else {
      const beside = Reflect.get(value, name.replace(/Ids?$/, 'Name'))
      for (const id of [each].flat()) if (id) known.set(id, beside || known.get(id) || spokenId(id))
    }
  }
}

/** The values that rules compare a field of tickets with. */
export function useRuleValues(field: string): ReadonlyMap<string, string> {
  const slas = (useList('slas', '', true).data ?? []) as readonly SlaDefinition[]
  const rules = slas.flatMap(({ attachmentCriteria, conditions }) => [
    ...attachmentCriteria,
    ...conditions.flatMap(({ conditionRule }) => conditionRule ?? []),
  ])
  const values = rules.flatMap((rule) => (rule.field === field ? [rule.value, ...rule.values] : []))
  return new Map(values.filter(Boolean).map((each) => [each, each.replaceAll('_', ' ')]))
}

/** A workflow by its name, or by the words in its id. */
export function WorkflowName({ id }: { readonly id: string }) {
  return <span title={id}>{useUsed('workflowId')?.get(id) ?? spokenId(id)}</span>
}

/** The text for a person's id. */
export function usePersonName(id: string): string {
  return useThingName('people', id) ?? '…'
}

/** A link to a person by name; the id where there is no such person. */
export function PersonLink({ id }: { readonly id: string }) {
  return usePersonName(id) === id ? id || '–' : <ThingLink kind="people" id={id} />
}
