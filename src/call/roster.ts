/**
 * Those that are there now, who come and go with every call. A list of places that are used again: the tables of a `Set`
 * are replaced as it changes, and each that has grown old keeps those of its time, and the tables after it, from being
 * collected while they are young.
 */
export class Roster<T> implements Iterable<T> {
  readonly #members: (T | undefined)[] = []
  readonly #free: number[] = []

  /** Answers the member's place. */
  join(member: T): number {
    const place = this.#free.pop() ?? this.#members.length
    this.#members[place] = member
    return place
  }

  /** Gives up a place, once. */
  leave(place: number): void {
    this.#members[place] = undefined
    this.#free.push(place)
  }

  /** In no order. Who leaves in the meantime is left out. */
  *[Symbol.iterator](): Generator<T> {
    for (const member of this.#members) if (member !== undefined) yield member
  }
}
