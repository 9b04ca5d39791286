import type { DescMessage, DescMethodUnary, Message } from '@bufbuild/protobuf'
import type { Transport } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { useQueries } from '@tanstack/react-query'
import { ApiKeyService } from '../../../gen/svc/v2/api_key_pb.js'
import { JourneyService } from '../../../gen/svc/v2/journey_pb.js'
import { useCaller } from '../api/caller-context.js'
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

/** So many are read at once of a list that is not searched, and so many pages: what comes after is opened by its id. */
const PAGE_SIZE = 1_000
const MAX_PAGES = 10
/** So many are read of a list that is searched, by at most so many characters. */
const MAX_FOUND = 8
const MAX_TEXT = 64
/** Names change seldom. */
const STALE_MILLIS = 300_000

// What needs more than a team to be listed, as field mappings do, has no name either.
const resources: readonly NamedResource[] = [
  ...declarations.filter(({ list }) => isSearched(list) || isWhole(list)),
  { path: 'journeys', one: 'journey', list: JourneyService.method.listJourneys },
  { path: 'keys', one: 'key', list: ApiKeyService.method.listApiKeys },
]

/** The resources whose ids are not looked for, so that an id may be of one of them. */
export const unlistedResources: readonly NamedResource[] = declarations.filter(
  ({ list }) => isSearched(list) || !isWhole(list),
)

/** Whether the service finds by the beginning of a name. */
function isSearched({ input }: NamedResource['list']): boolean {
  return input.field['q'] !== undefined
}

function isWhole({ input }: NamedResource['list']): boolean {
  return input.field['includeTotal'] !== undefined
}

/**
 * What the organization has with a text in its name, or as its id, people aside and as far as the caller may list it.
 * Lists that can be searched are asked for names that begin with the text; the others are read once. `isAnswered` is
 * whether all of them have answered.
 */
export function useNamedThings(text: string): { readonly things: readonly NamedThing[]; readonly isAnswered: boolean } {
  const transport = useTransport()
  const caller = useCaller()
  const asked = resources.filter(({ list }) => text !== '' && whyNot(list, caller) === undefined)
  const answers = useQueries({
    queries: asked.map(({ path, list }) => {
      const request = isSearched(list) ? searchFor(list, text) : { pageSize: PAGE_SIZE }
      return {
        queryKey: ['named', path, request],
        staleTime: STALE_MILLIS,
        queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
          isSearched(list) ? firstOf(transport, list, request, signal) : allOf(transport, list, request),
      }
    }),
  })
  const items = asked.flatMap(({ path, one }, index) =>
    (answers[index]?.data ?? []).map((item) => ({ path, one, id: idOf(item), name: nameOf(item) })),
  )
  const things = items
    .flatMap((thing) => {
      const rank = rankOf(thing, text)
      return rank === undefined ? [] : [{ thing, rank }]
    })
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ thing }) => thing)
  return { things, isAnswered: answers.every(({ isPending }) => !isPending) }
}

/** Whether a name has a text, in whatever case. */
export function hasText(name: string, text: string): boolean {
  return name.toLowerCase().includes(text.toLowerCase())
}

/** How well a text names a thing: 0 if that is its name or id, then by where it is in the name; undefined if it is not. */
function rankOf({ id, name }: NamedThing, text: string): number | undefined {
  if (id === text || name.toLowerCase() === text.toLowerCase()) return 0
  if (!hasText(name, text)) return undefined
  return name.toLowerCase().startsWith(text.toLowerCase()) ? 1 : 2
}

type ListRequest = Readonly<Record<string, string | number>>

/** The request for what begins with a text, in every team. */
function searchFor(list: NamedResource['list'], text: string): ListRequest {
  const inTeams = list.input.field['teamId'] !== undefined && !isWhole(list)
  return { q: text.slice(0, MAX_TEXT), pageSize: MAX_FOUND, ...(inTeams && { teamId: '-' }) }
}

interface ListAnswer {
  readonly data: readonly Message[]
  readonly nextPageToken?: string
}

async function read(
  transport: Transport,
  list: NamedResource['list'],
  request: ListRequest,
  signal?: AbortSignal,
): Promise<ListAnswer> {
  const { message } = await callTagged(transport, list, request, {}, signal)
  return message as unknown as ListAnswer
}

async function firstOf(...call: Parameters<typeof read>): Promise<readonly Message[]> {
  return (await read(...call)).data
}

async function allOf(transport: Transport, list: NamedResource['list'], request: ListRequest): Promise<Message[]> {
  const items: Message[] = []
  let pageToken = ''
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await read(transport, list, { ...request, ...(pageToken && { pageToken }) })
    items.push(...answer.data)
    if (!answer.nextPageToken) break
    pageToken = answer.nextPageToken
  }
  return items
}
