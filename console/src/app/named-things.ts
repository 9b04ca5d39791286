import type { DescMessage, DescMethodUnary, Message } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { useQueries } from '@tanstack/react-query'
import { ApiKeyService } from '../../../gen/svc/v2/api_key_pb.js'
import { JourneyService } from '../../../gen/svc/v2/journey_pb.js'
import { useCaller } from '../api/caller-context.js'
import { useTeams } from '../api/names.js'
import { whyNot } from '../api/rights.js'
import { callTagged } from '../api/tagged.js'
import { idOf, nameOf } from '../screens/resource/declaration.js'
import { declarations } from '../screens/resource/declarations.js'

interface NamedResource {
  readonly path: string
  readonly one: string
  readonly list: DescMethodUnary<DescMessage, DescMessage>
}

/** A thing that is found by its name. */
export interface NamedThing {
  readonly path: string
  readonly one: string
  readonly id: string
  readonly name: string
}

/** So many are read at once, and so many pages of them: what comes after is opened by its id. */
const PAGE_SIZE = 1_000
const MAX_PAGES = 10
/** What belongs to teams is read for so many of them. */
const MAX_TEAMS = 20
/** Names change seldom. */
const STALE_MILLIS = 300_000

const resources: readonly NamedResource[] = [
  ...declarations,
  { path: 'journeys', one: 'journey', list: JourneyService.method.listJourneys },
  { path: 'keys', one: 'key', list: ApiKeyService.method.listApiKeys },
]

/** The resources that have no list of the whole organization, so that what is of them may be known by its id alone. */
export const teamResources: readonly NamedResource[] = declarations.filter((each) => !isWhole(each))

function isWhole({ list }: NamedResource): boolean {
  return list.input.field['includeTotal'] !== undefined
}

/** What the organization has by name, people aside, as far as the caller may list it. Read when it is first asked for. */
export function useNamedThings(isAsked: boolean): readonly NamedThing[] {
  const transport = useTransport()
  const caller = useCaller()
  const teams = useTeams().slice(0, MAX_TEAMS)
  const lists = resources
    .filter(({ list }) => isAsked && whyNot(list, caller) === undefined)
    .flatMap((resource) => requestsFor(resource, teams).map((request) => ({ ...resource, request })))
  const answers = useQueries({
    queries: lists.map(({ path, list, request }) => ({
      queryKey: ['named', path, request],
      staleTime: STALE_MILLIS,
      queryFn: () => allOf(transport, list, request),
    })),
  })
  const things = lists.flatMap(({ path, one }, index) =>
    (answers[index]?.data ?? []).map((item) => ({ path, one, id: idOf(item), name: nameOf(item) })),
  )
  // What is shared between teams is in the lists of several.
  return [...new Map(things.map((thing) => [`${thing.path}/${thing.id}`, thing])).values()]
}

type ListRequest = Readonly<Record<string, string | number>>

/** What lists all of a resource: one call, or one for each team. Mappings, which belong to entity types, have no names. */
function requestsFor(resource: NamedResource, teams: readonly { readonly id: string }[]): readonly ListRequest[] {
  const { field } = resource.list.input
  const paged: ListRequest = field['pageSize'] === undefined ? {} : { pageSize: PAGE_SIZE }
  if (isWhole(resource)) return [paged]
  return field['entityTypeId'] === undefined ? teams.map(({ id }) => ({ ...paged, teamId: id })) : []
}

async function allOf(transport: Transport, list: NamedResource['list'], request: ListRequest): Promise<Message[]> {
  const items: Message[] = []
  let pageToken = ''
  for (let page = 0; page < MAX_PAGES; page++) {
    const { message } = await callTagged(transport, list, { ...request, ...(pageToken && { pageToken }) })
    const answer = message as unknown as { readonly data: readonly Message[]; readonly nextPageToken?: string }
    items.push(...answer.data)
    if (!answer.nextPageToken) break
    pageToken = answer.nextPageToken
  }
  return items
}
