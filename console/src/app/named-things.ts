import type { DescMessage, DescMethodUnary, Message } from '@bufbuild/protobuf'
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

/** The first ones of each resource are known by name; so many are read at once. */
const MAX_OF_EACH = 1_000
/** Names change seldom. */
const STALE_MILLIS = 300_000

const isWhole = ({ list }: NamedResource) => list.input.field['includeTotal'] !== undefined
const resources: readonly NamedResource[] = [
  ...declarations.filter(isWhole),
  { path: 'journeys', one: 'journey', list: JourneyService.method.listJourneys },
  { path: 'keys', one: 'key', list: ApiKeyService.method.listApiKeys },
]

/** The resources that have no list of the whole organization: what is of them is opened by its id alone. */
export const teamResources: readonly NamedResource[] = declarations.filter((each) => !isWhole(each))

/** What the organization has by name, people aside, as far as the caller may list it. Read when it is first asked for. */
export function useNamedThings(isAsked: boolean): readonly NamedThing[] {
  const transport = useTransport()
  const caller = useCaller()
  const answers = useQueries({
    queries: resources.map(({ path, list }) => ({
      queryKey: ['named', path],
      enabled: isAsked && whyNot(list, caller) === undefined,
      staleTime: STALE_MILLIS,
      queryFn: async () => {
        const { message } = await callTagged(transport, list, { pageSize: MAX_OF_EACH } as Record<string, unknown>)
        return (message as unknown as { readonly data: readonly Message[] }).data
      },
    })),
  })
  return resources.flatMap(({ path, one }, index) =>
    (answers[index]?.data ?? []).map((item) => ({ path, one, id: idOf(item), name: nameOf(item) })),
  )
}
