import type { Transport } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { useQuery } from '@tanstack/react-query'
import DataLoader from 'dataloader'
import { CallerService } from '../../../gen/svc/v2/caller_pb.js'
import { plainName } from './message.js'
import { callTagged } from './tagged.js'

/** What one call names. */
const MAX_OBJECTS = 500
/** Long enough for all names of a screen to be asked for at once, and not noticed. */
const GATHER_MILLIS = 20
/** Names change seldom. */
const STALE_MILLIS = 300_000

const loaders = new WeakMap<Transport, DataLoader<string, string>>()

/** Reads names of things such as `team/team_it`, those of a screen in one call. */
function loaderFor(transport: Transport): DataLoader<string, string> {
  const known = loaders.get(transport)
  if (known !== undefined) return known
  const read = async (objects: readonly string[]) => {
    const { message } = await callTagged(transport, CallerService.method.listNames, { objects: [...objects] })
    const names = new Map(message.data.map(({ type, id, name }) => [`${type}/${id}`, plainName(name)]))
    return objects.map((object) => names.get(object) ?? '')
  }
  const loader = new DataLoader(read, {
    cache: false,
    maxBatchSize: MAX_OBJECTS,
    batchScheduleFn: (go) => void setTimeout(go, GATHER_MILLIS),
  })
  loaders.set(transport, loader)
  return loader
}

/** Reads the name of a thing by its type, such as `app_instance`, and its id: empty for what the caller may not see. */
export function useNameQuery(type: string, id: string) {
  const transport = useTransport()
  return useQuery({
    queryKey: ['name', type, id],
    enabled: id !== '',
    staleTime: STALE_MILLIS,
    queryFn: () => loaderFor(transport).load(`${type}/${id}`),
  })
}

/** The name of a thing: undefined until it is read; its id where it has none or the caller may not see it. */
export function useName(type: string, id: string): string | undefined {
  const { data, error } = useNameQuery(type, id)
  return error || id === '' ? id : data === undefined ? undefined : data || id
}
