/** One entry of an Accept or Accept-Encoding header with its weight, 0 to 1. */
export interface Preference {
  readonly name: string
  readonly weight: number
}

/** Parses a header of weighted names (RFC 9110, section 12.4.2); names in lower case, parameters other than q dropped. */
export function parsePreferences(header: string): Preference[] {
  const preferences: Preference[] = []
  for (const member of header.split(',')) {
    const [name = '', ...parameters] = member.split(';').map((part) => part.trim().toLowerCase())
    if (name === '') continue
    const q = parameters.find((parameter) => /^q\s*=/.test(parameter))
    const weight = q === undefined ? 1 : Number(q.slice(q.indexOf('=') + 1))
    preferences.push({ name, weight: weight >= 0 && weight <= 1 ? weight : 0 })
  }
  return preferences
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
