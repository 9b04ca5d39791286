import { decodePercentBytes } from './percent.js'
import type { PathTemplate } from './template.js'

/** A match: the route and, per variable of its template, the raw captured text. */
export interface RouteMatch<T> {
  readonly route: T
  readonly captures: readonly string[]
}

/** Routes by path template and HTTP method. */
export interface RouteTrie<T> {
  /** Adds a route, unless one has the same shape, verb and method already, which is then returned. */
  insert(template: PathTemplate, method: string, route: T): T | undefined
  /** Finds the best route for a raw path and a method; HEAD falls back to GET, any method to `*`. */
  find(path: string, method: string): RouteMatch<T> | undefined
  /** The methods that routes accept at this raw path, sorted, with HEAD and OPTIONS; empty for an unknown path. */
  allowed(path: string): string[]
}

interface Entry<T> {
  readonly route: T
  readonly template: PathTemplate
}
type Methods<T> = Map<string, Entry<T>>
type Visit<T, R> = (methods: Methods<T>) => R | undefined

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  star: Node<T> | undefined
  readonly byVerb: Map<string, Methods<T>>
  readonly openByVerb: Map<string, Methods<T>>
}

interface Cut {
  readonly path: string
  readonly starts: readonly number[]
  readonly end: number
  readonly verb: string
}

/**
 * Creates a trie. A literal wins over `*`, `*` over `**`, a registered custom verb over reading it as data, and the
 * search backtracks over all of them until the method fits too. Literals are compared in decoded form.
 */
export function createRouteTrie<T>(): RouteTrie<T> {
  const root = createNode<T>()
  const verbs = new Set<string>()

  function insert(template: PathTemplate, method: string, route: T): T | undefined {
    const methods = methodsAt(root, template)
    const held = methods.get(method)
    if (held !== undefined) return held.route
    methods.set(method, { route, template })
    if (template.verb !== '') verbs.add(template.verb)
    return undefined
  }

  function find(path: string, method: string): RouteMatch<T> | undefined {
    const [plain, withVerb] = cuts(path, verbs)
    for (const cut of [withVerb, plain]) {
      if (cut === undefined) continue
      const entry = walk(root, cut, 0, (methods) => pick(methods, method))
      if (entry !== undefined) return { route: entry.route, captures: captureAll(entry.template, cut) }
    }
    return undefined
  }

  function allowed(path: string): string[] {
    const found = new Set<string>()
    for (const cut of cuts(path, verbs)) {
      if (cut === undefined) continue
      walk(root, cut, 0, (methods) => {
        for (const method of methods.keys()) found.add(method)
        return undefined
      })
    }
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
  let open = false
  for (const segment of template.segments) {
    if (segment.kind === '**') {
      open = true
    } else if (segment.kind === '*') {
      node.star ??= createNode()
      node = node.star
    } else {
      const child = node.literals.get(segment.text) ?? createNode<T>()
      node.literals.set(segment.text, child)
      node = child
    }
  }
  const table = open ? node.openByVerb : node.byVerb
  const methods = table.get(template.verb) ?? new Map<string, Entry<T>>()
  table.set(template.verb, methods)
  return methods
}

function pick<T>(methods: Methods<T>, method: string): Entry<T> | undefined {
  return methods.get(method) ?? (method === 'HEAD' ? methods.get('GET') : undefined) ?? methods.get('*')
}

// The readings of a path: whole, and, when the last segment ends in a registered verb, with that verb cut off.
function cuts(path: string, verbs: ReadonlySet<string>): [Cut | undefined, Cut | undefined] {
  if (path.charCodeAt(0) !== 0x2f) return [undefined, undefined]
  const starts: number[] = []
  let slash = 0
  while (slash >= 0) {
    starts.push(slash + 1)
    slash = path.indexOf('/', slash + 1)
  }
  const plain: Cut = { path, starts, end: path.length, verb: '' }
  const colon = verbs.size === 0 ? -1 : path.lastIndexOf(':')
  if (colon < (starts.at(-1) ?? 0)) return [plain, undefined]
  const verb = decodePercentBytes(path.slice(colon + 1))
  if (verb === undefined || !verbs.has(verb)) return [plain, undefined]
  return [plain, { path, starts, end: colon, verb }]
}

// Depth equals the index of the segment, so that every node is looked at once at most.
function walk<T, R>(node: Node<T>, cut: Cut, index: number, visit: Visit<T, R>): R | undefined {
  if (index === cut.starts.length) {
    const here = node.byVerb.get(cut.verb)
    const result = here === undefined ? undefined : visit(here)
    if (result !== undefined) return result
  } else {
    const result = descend(node, cut, index, visit)
    if (result !== undefined) return result
  }
  const open = node.openByVerb.get(cut.verb)
  return open === undefined ? undefined : visit(open)
}

function descend<T, R>(node: Node<T>, cut: Cut, index: number, visit: Visit<T, R>): R | undefined {
  const start = cut.starts[index] ?? 0
  const end = segmentEnd(cut, index)
  // An empty segment is matched by "**" alone: a trailing or doubled slash names no resource.
  if (start >= end) return undefined
  if (node.literals.size > 0) {
    // A broken escape equals no literal; as a captured value it is reported by name later.
    const literal = decodePercentBytes(cut.path.slice(start, end))
    const child = literal === undefined ? undefined : node.literals.get(literal)
    const result = child === undefined ? undefined : walk(child, cut, index + 1, visit)
    if (result !== undefined) return result
  }
  return node.star === undefined ? undefined : walk(node.star, cut, index + 1, visit)
}

function segmentEnd(cut: Cut, index: number): number {
  const next = cut.starts[index + 1]
  return next === undefined ? cut.end : next - 1
}

function captureAll(template: PathTemplate, cut: Cut): string[] {
  const captures: string[] = []
  for (const variable of template.variables) {
    const start = cut.starts[variable.start]
    const open = template.segments[variable.end - 1]?.kind === '**'
    const end = open ? cut.end : segmentEnd(cut, variable.end - 1)
    captures.push(start === undefined || start > end ? '' : cut.path.slice(start, end))
  }
  return captures
}
