import { decodePercentBytes } from './percent.js'
import type { PathTemplate } from './template.js'

/** A match: the route and, per variable of its template, the raw captured text. */
export interface RouteMatch<T> {
  readonly route: T
  readonly captures: readonly string[]
}

interface Entry<T> {
  readonly route: T
  readonly template: PathTemplate
}
type Methods<T> = Map<string, Entry<T>>

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  star: Node<T> | undefined
  readonly byVerb: Map<string, Methods<T>>
  readonly openByVerb: Map<string, Methods<T>>
}

/** A path as its segments, without a custom verb at its end, if it is read as having one. */
interface Reading {
  readonly segments: readonly string[]
  readonly verb: string
}

/**
 * Creates a trie of routes by path template and HTTP method. A literal wins over `*`, `*` over `**`, a registered
 * custom verb over reading it as data, and the search backtracks over all of them until the method fits too. Literals
 * are compared in decoded form.
 */
export function createRouteTrie<T>() {
  const root = createNode<T>()
  const verbs = new Set<string>()

  /** Adds a route, unless one has the same shape, verb and method already, which is then returned. */
  function insert(template: PathTemplate, method: string, route: T): T | undefined {
    const methods = methodsAt(root, template)
    const existing = methods.get(method)
    if (existing !== undefined) return existing.route
    methods.set(method, { route, template })
    if (template.verb !== '') verbs.add(template.verb)
    return undefined
  }

  /** Finds the best route for a raw path and a method; HEAD falls back to GET, any method to `*`. */
  function find(path: string, method: string): RouteMatch<T> | undefined {
    for (const reading of readingsOf(path, verbs)) {
      for (const methods of methodsFor(root, reading, 0)) {
        const entry = pick(methods, method)
        if (entry !== undefined) return { route: entry.route, captures: capturesOf(entry.template, reading) }
      }
    }
    return undefined
  }

  /** The methods that routes accept at this raw path, sorted, with HEAD and OPTIONS; empty for an unknown path. */
  function allowed(path: string): string[] {
    const tables = readingsOf(path, verbs).flatMap((reading) => [...methodsFor(root, reading, 0)])
    const found = new Set(tables.flatMap((methods) => [...methods.keys()]))
    if (found.size === 0) return []
    if (found.has('GET')) found.add('HEAD')
    return [...found.add('OPTIONS')].sort()
  }

  return { insert, find, allowed }
}

function createNode<T>(): Node<T> {
  return { literals: new Map(), star: undefined, byVerb: new Map(), openByVerb: new Map() }
}

function methodsAt<T>(root: Node<T>, template: PathTemplate): Methods<T> {
  let node = root
  let table = node.byVerb
  for (const segment of template.segments) {
    if (segment.kind === '**') {
      table = node.openByVerb
      continue
    }
    if (segment.kind === '*') {
      node.star ??= createNode()
      node = node.star
    } else {
      const child = node.literals.get(segment.text) ?? createNode<T>()
      node.literals.set(segment.text, child)
      node = child
    }
    table = node.byVerb
  }
  const methods = table.get(template.verb) ?? new Map<string, Entry<T>>()
  table.set(template.verb, methods)
  return methods
}

function pick<T>(methods: Methods<T>, method: string): Entry<T> | undefined {
  return methods.get(method) ?? (method === 'HEAD' ? methods.get('GET') : undefined) ?? methods.get('*')
}

/** A path that ends in a registered verb is read with it first, and then as a whole. */
function readingsOf(path: string, verbs: ReadonlySet<string>): Reading[] {
  if (!path.startsWith('/')) return []
  const segments = path.slice(1).split('/')
  const plain = { segments, verb: '' }
  const last = segments.at(-1) ?? ''
  const colon = verbs.size === 0 ? -1 : last.lastIndexOf(':')
  const verb = colon < 0 ? undefined : decodePercentBytes(last.slice(colon + 1))
  if (verb === undefined || !verbs.has(verb)) return [plain]
  return [{ segments: segments.with(-1, last.slice(0, colon)), verb }, plain]
}

/** The methods of each template that a path fits, the best first. Every node is looked at once at most. */
function* methodsFor<T>(node: Node<T>, reading: Reading, index: number): Generator<Methods<T>> {
  const segment = reading.segments[index]
  if (segment === undefined) {
    const here = node.byVerb.get(reading.verb)
    if (here !== undefined) yield here
  } else if (segment !== '') {
    // Only "**" matches an empty segment: a trailing or doubled slash names no resource. A broken escape equals no
    // literal; as a captured value, it is reported by name later.
    const literal = node.literals.size === 0 ? undefined : decodePercentBytes(segment)
    const child = literal === undefined ? undefined : node.literals.get(literal)
    if (child !== undefined) yield* methodsFor(child, reading, index + 1)
    if (node.star !== undefined) yield* methodsFor(node.star, reading, index + 1)
  }
  const open = node.openByVerb.get(reading.verb)
  if (open !== undefined) yield open
}

function capturesOf(template: PathTemplate, { segments }: Reading): string[] {
  return template.variables.map(({ start, end }) => {
    const isOpen = template.segments[end - 1]?.kind === '**'
    return segments.slice(start, isOpen ? undefined : end).join('/')
  })
}
