/** An operation on something shared, on the clock of its caller. */
export interface Operation {
  readonly start: number
  readonly end: number
}

/**
 * Whether the operations could have happened one after another, each at a moment between its start and its end
 * (Wing and Gong, with the states that were seen before left out, after Lowe). `apply` returns the state after an
 * operation, or undefined if its response contradicts the state before it; `keyOf` is a text that equal
 * states share. At most 31 operations.
 */
export function isLinearizable<State, Each extends Operation>(
  initial: State,
  operations: readonly Each[],
  apply: (state: State, operation: Each) => State | undefined,
  keyOf: (state: State) => string,
): boolean {
  if (operations.length > 31) throw new Error(`${operations.length} operations are too many to check`)
  const all = 2 ** operations.length - 1
  const seen = new Set<string>()
  const search = (done: number, state: State): boolean => {
    if (done === all) return true
    const key = `${done} ${keyOf(state)}`
    if (seen.has(key)) return false
    seen.add(key)
    const left = operations
      .map((operation, index) => ({ operation, bit: 2 ** index }))
      .filter(({ bit }) => (done & bit) === 0)
    const firstEnd = Math.min(...left.map(({ operation }) => operation.end))
    return left.some(({ operation, bit }) => {
      if (operation.start > firstEnd) return false
      const next = apply(state, operation)
      return next !== undefined && search(done + bit, next)
    })
  }
  return search(0, initial)
}
