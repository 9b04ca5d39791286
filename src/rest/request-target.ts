/** A raw request target, cut but not decoded: the path and the query without its `?`. */
export interface RequestTarget {
  readonly path: string
  readonly query: string
}

const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/

/** Cuts a request target (RFC 9112, section 3.2) in origin or absolute form; a fragment is dropped. */
export function parseRequestTarget(target: string): RequestTarget {
  let rest = target
  if (rest.charCodeAt(0) !== 0x2f) {
    rest = rest.replace(ABSOLUTE, '')
    if (rest === '' || rest.charCodeAt(0) === 0x3f) rest = `/${rest}`
  }
  const hash = rest.indexOf('#')
  if (hash >= 0) rest = rest.slice(0, hash)
  const mark = rest.indexOf('?')
  return mark < 0 ? { path: rest, query: '' } : { path: rest.slice(0, mark), query: rest.slice(mark + 1) }
}
