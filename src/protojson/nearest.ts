/** The longest name that is compared: whoever sends a longer one has not mistyped anything. */
const MAX_LENGTH = 64
/** The most names that are compared of what a request names. */
const MAX_NAMES = 500
/** The most names that a list of them shows. */
const MAX_LISTED = 30

/** Suggests a known name for an unknown one: the nearest of the first 500, or a list of them. */
export function suggestion(given: string, names: readonly string[]): string {
  const near = nearestName(given, names)
  if (near !== undefined) return `did you mean ${JSON.stringify(near)}?`
  if (names.length === 0) return 'there are none'
  return `use ${names.length === 1 ? '' : 'one of '}${shortList(names)}`
}

/** The names with commas between them, cut after 30. */
export function shortList(names: readonly string[]): string {
  return `${names.slice(0, MAX_LISTED).join(', ')}${names.length > MAX_LISTED ? ', …' : ''}`
}

/** The name that was probably meant: the same but for case and separators, mistyped, or begun; undefined for none. */
export function nearestName(given: string, names: readonly string[], most = MAX_NAMES): string | undefined {
  if (given.length > MAX_LENGTH) return undefined
  const wanted = bare(given)
  if (wanted === '') return undefined
  let best: { name: string; distance: number } | undefined
  for (const name of names.slice(0, most)) {
    const distance = distanceOf(wanted, bare(name))
    if (distance !== undefined && (best === undefined || distance < best.distance)) best = { name, distance }
  }
  return best?.name
}

/** How many single edits turn one text into the other; undefined for more than `limit`. */
export function editDistance(from: string, to: string, limit: number): number | undefined {
  if (Math.abs(from.length - to.length) > limit) return undefined
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  let before: number[] = []
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1]
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const edited = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1))
      next.push(swapped ? Math.min(edited, (before[j - 2] ?? 0) + 1) : edited)
    }
    before = row
    row = next
  }
  const distance = row[to.length] ?? 0
  return distance <= limit ? distance : undefined
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[_\-. "]/g, '')
}

// One edit in three characters is a slip; what begins with the name, or the other way round, is nearly as likely.
function distanceOf(wanted: string, name: string): number | undefined {
  const shorter = Math.min(wanted.length, name.length)
  const edits = name.length > MAX_LENGTH ? undefined : editDistance(wanted, name, Math.floor(shorter / 3))
  if (edits !== undefined) return edits
  const isPart = shorter >= 4 && (name.startsWith(wanted) || wanted.startsWith(name) || name.endsWith(wanted))
  return isPart ? Math.abs(wanted.length - name.length) : undefined
}
