import { editDistance } from '../protojson/nearest.js'
import { type PathTemplate, templateToString } from './template.js'

/** Longer paths, in characters and in segments, are not compared. */
const MAX_LENGTH = 300
const MAX_SEGMENTS = 20
/** How many segments may be missing from the start of a path, or too many there. */
const MAX_SHIFT = 2

/**
 * The template of the path that was probably meant: one that differs in slashes, in a prefix, in case or between `_`
 * and `-`, or by a slip in a word; undefined for none. Values of variables are never shown.
 */
export function nearestPath(path: string, templates: readonly PathTemplate[]): string | undefined {
  if (path.length > MAX_LENGTH) return undefined
  const segments = path.split('/').filter((segment) => segment !== '')
  if (segments.length > MAX_SEGMENTS) return undefined
  let best: { template: PathTemplate; distance: number } | undefined
  for (const template of templates) {
    const distance = distanceTo(segments, template)
    if (distance !== undefined && (best === undefined || distance < best.distance)) best = { template, distance }
  }
  return best && templateToString(best.template)
}

function distanceTo(given: readonly string[], { segments, verb }: PathTemplate): number | undefined {
  // Clients encode the colon of a verb as they do that of a value.
  const last = (given.at(-1) ?? '').replace(/%3a/gi, ':')
  const colon = verb === '' ? -1 : last.lastIndexOf(':')
  if (verb !== '' && (colon < 0 || wordDistance(last.slice(colon + 1), verb) === undefined)) return undefined
  const words = colon < 0 ? given : [...given.slice(0, -1), last.slice(0, colon)]
  const shift = segments.length - words.length
  if (Math.abs(shift) > MAX_SHIFT) return undefined
  // Missing or extra segments are at the start: `/v2`, or `/api`.
  const expected = shift > 0 ? segments.slice(shift) : segments
  const rest = shift < 0 ? words.slice(-shift) : words
  // A path of nothing but its variables could be anything.
  const isNamed = expected.some((segment) => segment.kind === 'literal')
  const left = segments.slice(0, Math.max(shift, 0))
  if (!isNamed || left.some((segment) => segment.kind !== 'literal')) return undefined
  // A path with the verb of a template means the verb, not a value that happens to end in it.
  let total = Math.abs(shift) - (verb === '' ? 0 : 0.05)
  for (const [index, segment] of expected.entries()) {
    const distance = segment.kind === 'literal' ? wordDistance(rest[index] ?? '', segment.text) : 0.1
    if (distance === undefined) return undefined
    total += distance
  }
  return total
}

function wordDistance(given: string, word: string): number | undefined {
  const [from, to] = [bare(given), bare(word)]
  return editDistance(from, to, Math.max(1, Math.min(3, Math.floor(to.length / 3))))
}

function bare(word: string): string {
  return word.toLowerCase().replace(/[_-]/g, '')
}
