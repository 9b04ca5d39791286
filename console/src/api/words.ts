import type { DescEnum } from '@bufbuild/protobuf'

/** The words for a value of an enum: `USER_ROLE_ORG_ADMIN` is `Org admin`. Empty for the zero value. */
export function enumText(schema: DescEnum, value: number): string {
  const name = schema.value[value]?.name ?? ''
  const prefix = (schema.sharedPrefix ?? '').toUpperCase()
  const word = name.startsWith(prefix) ? name.slice(prefix.length) : name
  return word === 'UNSPECIFIED' ? '' : sentence(word.toLowerCase().replaceAll('_', ' '))
}

/** The values of an enum as choices, after one for none of them. */
export function enumOptions(schema: DescEnum, none: string) {
  const given = schema.values.filter(({ number }) => number !== 0)
  return [
    { value: '', text: none },
    ...given.map(({ number }) => ({ value: String(number), text: enumText(schema, number) })),
  ]
}

/** Ids that name nothing else. */
const ownLabels: Readonly<Record<string, string>> = { externalId: 'External id', scopedId: 'Handle' }

/** The label of a field: `defaultAccessPolicyId` is `Default access policy`. */
export function labelOf(field: string): string {
  const own = ownLabels[field]
  if (own !== undefined) return own
  const words = field
    .replace(/Seconds$/, '')
    .replace(/Ids?$/, (end) => (end === 'Ids' ? 's' : ''))
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return (
    sentence(
      words
        .replace(/\ba2a\b/, 'A2A')
        .replace(/\bai\b/, 'AI')
        .replace(/\bsla\b/, 'SLA')
        .replace(/\burl\b/, 'URL'),
    ) || 'Id'
  )
}

/** The words for an action of the audit log: `api_key.revoke` is `API key revoke`. */
export function actionText(action: string): string {
  return sentence(
    action
      .replaceAll(/[._]/g, ' ')
      .replace(/^api\b/, 'API')
      .replace(/^sla\b/, 'SLA'),
  )
}

/** A word with its article: `an app instance`. */
export function oneOf(word: string): string {
  return `${/^(?:[aeio]|A2A|SLA)/.test(word) ? 'an' : 'a'} ${word}`
}

/** The units of lengths of time, with their seconds. */
export const durationUnits = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** The largest unit that divides a number of seconds. */
export function largestUnit(seconds: number): (typeof durationUnits)[number] {
  return durationUnits.find(([, each]) => seconds % each === 0 && Math.abs(seconds) >= each) ?? ['second', 1]
}

/** Seconds in the largest unit that divides them. */
export function durationText(seconds: number): string {
  const [word, size] = largestUnit(seconds)
  const count = seconds / size
  return `${count} ${word}${Math.abs(count) === 1 ? '' : 's'}`
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
