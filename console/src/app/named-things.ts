import { useTransport } from '@connectrpc/connect-query'
import { useQueries } from '@tanstack/react-query'
import { useCaller } from '../api/caller-context.js'
import { idOf, nameOf } from '../api/message.js'
import { whyNot } from '../api/rights.js'
import { isSearched, kinds, listOptions, methodsOf } from '../api/things.js'
import { declarationAt, declarations } from '../screens/resource/declarations.js'

/** A thing that is found by its name. */
export interface NamedThing {
  readonly path: string
  readonly one: string
  readonly id: string
  readonly name: string
}

/** The resources whose ids are not looked for, so that an id may be of one of them. */
export const unlistedResources = declarations.filter(
  ({ list }) => list.input.field['q'] !== undefined || list.input.field['includeTotal'] === undefined,
)

/**
 * What the organization has with a text in its name, or as its id, people aside and as far as the caller may list it.
 * Lists that can be searched are asked for names that begin with the text; the others are read once. `isAnswered` is
 * whether all of them have answered.
 */
export function useNamedThings(text: string): { readonly things: readonly NamedThing[]; readonly isAnswered: boolean } {
  const transport = useTransport()
  const caller = useCaller()
  const asked = kinds.filter(
    (kind) => text !== '' && kind !== 'people' && whyNot(methodsOf(kind).list, caller) === undefined,
  )
  const answers = useQueries({
    queries: asked.map((kind) => listOptions(transport, kind, isSearched(kind) ? text : '')),
  })
  const items = asked.flatMap((path, index) =>
    (answers[index]?.data ?? []).map((item) => ({
      path,
      one: declarationAt(path)?.one ?? path.slice(0, -1),
      id: idOf(item),
      name: nameOf(item),
    })),
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
