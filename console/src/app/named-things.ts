import { useQuery, useTransport } from '@connectrpc/connect-query'
import { useQueries } from '@tanstack/react-query'
import { CallerService } from '../../../gen/svc/v2/caller_pb.js'
import { useCaller } from '../api/caller-context.js'
import { idOf, nameOf, plainName, teamOf } from '../api/message.js'
import { whyNot } from '../api/rights.js'
import { isSearched, type Kind, kinds, listOptions, methodsOf, targetKinds } from '../api/things.js'

/** A thing that is found by its name. */
export interface NamedThing {
  readonly path: Kind
  readonly id: string
  readonly name: string
  readonly teamId?: string | undefined
  /** The name of the team; none where the caller may not see it. */
  readonly team?: string | undefined
}

/** So many are shown, and named with one call. */
export const MAX_HITS = 8

const ID = /^[\w.~:-]{1,128}$/

/** What the organization has by a name or an id, people aside, as far as the caller may see it, and what was asked. */
export function useNamedThings(text: string) {
  const transport = useTransport()
  const caller = useCaller()
  const listed = kinds.filter(
    (kind) => text !== '' && kind !== 'people' && whyNot(methodsOf(kind).list, caller) === undefined,
  )
  const answers = useQueries({
    queries: listed.map((kind) => listOptions(transport, kind, isSearched(kind) ? text : '')),
  })
  const items = listed.flatMap((path, index) =>
    (answers[index]?.data ?? []).map((item) => ({ path, id: idOf(item), name: nameOf(item), teamId: teamOf(item) })),
  )
  // What others share is listed, and not opened.
  const isOpen = ({ path, teamId }: NamedThing) =>
    !teamId || whyNot(methodsOf(path).get, caller, { teamId }) === undefined
  const found = bestOf(items.filter(isOpen), text)
  const teams = found.flatMap(({ teamId }) => (teamId ? `team/${teamId}` : []))
  const byId = ID.test(text) ? Object.keys(targetKinds).map((type) => `${type}/${text}`) : []
  const objects = [...new Set([...byId, ...teams])]
  // Once, when all are found.
  const enabled = objects.length > 0 && answers.every(({ isFetching }) => !isFetching)
  const naming = useQuery(CallerService.method.listNames, { objects }, { enabled })
  const named = naming.data?.data ?? []
  const names = new Map(named.map(({ type, id, name }) => [`${type}/${id}`, plainName(name)]))
  const others = named.flatMap(({ type, id, name }): NamedThing[] => {
    const path = targetKinds[type]
    return path === undefined || id !== text ? [] : [{ path, id, name: name || id }]
  })
  const best = bestOf([...found, ...others], text)
  const things = best.map((thing): NamedThing => ({ ...thing, team: names.get(`team/${thing.teamId}`) }))
  return { things, asked: [...answers, naming] }
}

/** The things that a text names best, each of them once. */
function bestOf(things: readonly NamedThing[], text: string): readonly NamedThing[] {
  return things
    .filter(({ path, id }, index, all) => all.findIndex((each) => each.path === path && each.id === id) === index)
    .flatMap((thing) => {
      const rank = rankOf(thing, text)
      return rank === undefined ? [] : [{ thing, rank }]
    })
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ thing }) => thing)
    .slice(0, MAX_HITS)
}

/** Whether a name has a text, in whatever case. */
export function hasText(name: string, text: string): boolean {
  return name.toLowerCase().includes(text.toLowerCase())
}

/** How well a text names a thing: 0 if that is its name or id, then by where it is in the name; undefined if it is not. */
function rankOf({ id, name, path }: NamedThing, text: string): number | undefined {
  if (id === text || name.toLowerCase() === text.toLowerCase()) return 0
  if (!hasText(name, text)) return isSearched(path) ? 3 : undefined
  return name.toLowerCase().startsWith(text.toLowerCase()) ? 1 : 2
}
