/** The list with another item at a place. */
export function replacedAt<Item>(list: readonly Item[], at: number, item: Item): Item[] {
  return list.map((each, index) => (index === at ? item : each))
}

/** The list without the item at a place. */
export function removedAt<Item>(list: readonly Item[], at: number): Item[] {
  return list.filter((_, index) => index !== at)
}

/** The list with the item at a place one place further, or back with `-1`; as it is where there is no such place. */
export function movedAt<Item>(list: readonly Item[], at: number, by: 1 | -1): Item[] {
  const [one, other] = [list[at], list[at + by]]
  if (one === undefined || other === undefined) return [...list]
  return replacedAt(replacedAt(list, at, other), at + by, one)
}
