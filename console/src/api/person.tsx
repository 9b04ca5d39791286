import type { Transport } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import DataLoader from 'dataloader'
import { type User, UserService } from '../../../gen/svc/v2/user_pb.js'
import { useWhyNot } from './caller-context.js'
import { callTagged } from './tagged.js'

/** What one call names. */
const MAX_IDS = 500
/** Long enough for all names of a screen to be asked for at once, and not noticed. */
const GATHER_MILLIS = 8
/** Names change seldom. */
const STALE_MILLIS = 300_000

const loaders = new WeakMap<Transport, DataLoader<string, User | null>>()

/** Reads people by their ids, those of a screen in one call. */
function loaderFor(transport: Transport): DataLoader<string, User | null> {
  const known = loaders.get(transport)
  if (known !== undefined) return known
  const read = async (ids: readonly string[]) => {
    const request = { ids: [...ids], includeDeactivated: true, pageSize: MAX_IDS }
    const { message } = await callTagged(transport, UserService.method.listUsers, request)
    const people = new Map(message.data.map((user) => [user.id, user]))
    return ids.map((id) => people.get(id) ?? null)
  }
  const loader = new DataLoader(read, {
    cache: false,
    maxBatchSize: MAX_IDS,
    batchScheduleFn: (go) => void setTimeout(go, GATHER_MILLIS),
  })
  loaders.set(transport, loader)
  return loader
}

/** A person by id: undefined until it is read, null for somebody who is not here or whom the caller may not see. */
export function usePerson(id: string): User | null | undefined {
  const transport = useTransport()
  const why = useWhyNot(UserService.method.listUsers)
  const isAsked = why === undefined && id !== ''
  const { data, error } = useQuery({
    queryKey: ['person', id],
    enabled: isAsked,
    staleTime: STALE_MILLIS,
    queryFn: () => loaderFor(transport).load(id),
  })
  return !isAsked || error ? null : data
}

/** The text for a person's id. */
export function usePersonName(id: string): string {
  const person = usePerson(id)
  return person?.name || person?.email || (person === undefined ? '…' : id)
}

/** A link to a person by name; where there is no such person, the id. */
export function PersonLink({ id }: { readonly id: string }) {
  const name = usePersonName(id)
  if (id === '') return <>–</>
  return (
    <Link to="/people/$id" params={{ id }}>
      {name}
    </Link>
  )
}
