/**
 * Lets the viewer follow the references of the document itself: all of them point into it. Its own way reads the whole
 * document again for each operation that is opened, which takes seconds.
 */
export const localReferences = () => ({
  fn: {
    resolveSubtree: (document, path) => ({ spec: resolve(document, at(document, path), []), errors: [] }),
  },
})

const at = (document, path) => path.reduce((value, key) => value?.[key], document)

/** The value with what its references point to. Those of a schema to itself, within `open`, stay. */
function resolve(document, value, open) {
  if (Array.isArray(value)) return value.map((item) => resolve(document, item, open))
  if (typeof value !== 'object' || value === null) return value
  const { $ref: reference, ...rest } = value
  if (typeof reference === 'string' && reference.startsWith('#/') && !open.includes(reference)) {
    const target = at(document, reference.slice(2).split('/').map(unescapePointer))
    return { ...resolve(document, target, [...open, reference]), ...resolve(document, rest, open), $$ref: reference }
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(document, item, open)]))
}

/** A part of a JSON Pointer in a fragment (RFC 6901, sections 4 and 6). */
const unescapePointer = (part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
