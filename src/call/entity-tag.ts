import { headerOf, type NodeRequest } from './node-http.js'

/** An entity tag without `W/` (RFC 9110, 8.8.3). */
export const OPAQUE_TAG = /"[!#-~\x80-\xff]*"/g

const TAG = /(?:W\/)?("[!#-~\x80-\xff]*")/g
/** The suffixes that proxies and servers add to a tag when they compress the response. */
const ENDS = ['-', ';', '--'].map((mark) => new RegExp(`${mark}(?:gzip|gz|br|deflate|zstd)"$`))

/**
 * Restores the tags of an `If-Match` or `If-None-Match` to what the service sent: proxies that compress make tags weak,
 * or append the name of the coding. A tag can end like that by itself, so both forms are kept. All tags of the service
 * are strong, and the same for every coding.
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
