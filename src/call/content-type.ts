import { parsePreferences } from './compression.js'

/** The types of request body that this transcoder distinguishes. */
export type BodyType = 'json' | 'ndjson' | 'form'

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const MEDIA_TYPE = new RegExp(`^\\s*(${TOKEN}/${TOKEN})\\s*((?:;[^]*)?)$`)
const PARAMETER = new RegExp(`;\\s*(?:(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")\\s*)?`, 'y')

/** Parses a Content-Type header (RFC 9110, section 8.3.1), with names in lower case; undefined if it is malformed. */
export function parseMediaType(header: string) {
  const match = MEDIA_TYPE.exec(header)
  if (match === null) return undefined
  const rest = match[2] ?? ''
  const parameters = new Map<string, string>()
  PARAMETER.lastIndex = 0
  while (PARAMETER.lastIndex < rest.length) {
    const parameter = PARAMETER.exec(rest)
    if (parameter === null) return undefined
    const [, name, token, text] = parameter
    if (name !== undefined) parameters.set(name.toLowerCase(), token ?? (text ?? '').replace(/\\(.)/g, '$1'))
  }
  return { type: (match[1] ?? '').toLowerCase(), parameters }
}

/** The types of body by their names, in the order in which errors name them. */
export const bodyTypes: ReadonlyMap<string, BodyType> = new Map([
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/x-www-form-urlencoded', 'form'],
])

/**
 * The format of a body by its Content-Type: JSON for `application/json` and for none at all, JSON lines for
 * `application/x-ndjson`, a form for `application/x-www-form-urlencoded`, all in UTF-8; undefined for everything else.
 */
export function bodyTypeFromHeader(header: string | undefined): BodyType | undefined {
  if (header === undefined || header === 'application/json') return 'json'
  const media = parseMediaType(header)
  if (media === undefined) return undefined
  const charset = media.parameters.get('charset')?.toLowerCase() ?? 'utf-8'
  if (charset !== 'utf-8' && charset !== 'utf8') return undefined
  return bodyTypes.get(media.type)
}

/** Whether an Accept header prefers Server-Sent Events to newline-delimited JSON. */
export function prefersEventStream(header: string | undefined): boolean {
  if (header === undefined || !header.includes('event-stream')) return false
  const preferences = parsePreferences(header)
  const weightOf = (...names: string[]): number =>
    Math.max(0, ...preferences.filter((each) => names.includes(each.name)).map((each) => each.weight))
  const events = weightOf('text/event-stream')
  return events > 0 && events >= weightOf('application/x-ndjson', 'application/json')
}
