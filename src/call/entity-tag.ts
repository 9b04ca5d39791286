import { headerOf, type NodeRequest } from './node-http.js'

/** An entity tag without `W/` (RFC 9110, 8.8.3). */
export const OPAQUE_TAG = /"[!#-~\x80-\xff]*"/g

const TAG = /(?:W\/)?("[!#-~\x80-\xff]*")/g
/** The suffixes that proxies and servers add to a tag when they compress the response. */
const ENDS = ['-', ';', '--'].map((mark) => new RegExp(`${mark}(?:gzip|gz|br|deflate|zstd)"$`))

/**
 * The tags of an `If-Match` or `If-None-Match` as they left a service all of whose tags are strong and say the same of
 * every coding: proxies that compress make them weak, or append the name of the coding. A tag that could be the
 * service's own with such an end is kept beside the one without.
 */
export function originalTags(header: string): string {
  return header.replace(TAG, (_, tag: string) => {
    const origins = ENDS.flatMap((end) => (end.test(tag) ? tag.replace(end, '"') : []))
    return [tag, ...origins].join(', ')
  })
}

/** The `If-Match` of a request, with the original tags. */
export function ifMatchOf(request: NodeRequest): string | undefined {
  const header = headerOf(request, 'if-match')
  return header === undefined ? undefined : originalTags(header)
}
