import type pg from 'pg'
import { parameterTypes } from './query-plan.js'

const anyOrganization = 'organization-of-nobody'
const samples: Readonly<Record<string, string>> = {
  text: `''`,
  uuid: `'018f3b7a-0000-7000-8000-000000000001'`,
  json: `'[]'`,
  jsonb: `'[]'`,
  bytea: `'\\x00'`,
  boolean: 'true',
  date: `'2026-01-31'`,
  'timestamp with time zone': 'now()',
  'text[]': `'{a}'`,
  'uuid[]': `'{018f3b7a-0000-7000-8000-000000000001}'`,
  'bytea[]': `'{"\\\\x00"}'`,
  'jsonb[]': `'{"{}"}'`,
}

/** Texts that are read as positions in lists of their own. */
const positions: Readonly<Record<string, string>> = {
  list_journeys: `'2026-01-31 1'`,
  list_journeys_by_lateness: `'2026-01-31 1'`,
}

/** A text that is read as a position: of lists of objects by name, which are named alike, or one of those above. */
function positionIn(name: string): string | undefined {
  return /^search_(?!users)/.test(name) ? `'1 1'` : positions[name]
}

/** The text of a statement with a value of its type, which is that of no row, in the place of each parameter. */
export async function sampledText(client: pg.Client, name: string, text: string): Promise<string> {
  const types = await parameterTypes(client, text)
  const organization = /organization_id = \$(\d+)/.exec(text)?.[1]
  return text.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const { type = '', isEnum = false } = types[Number(number) - 1] ?? {}
    if (isEnum) return `enum_first(NULL::${type})`
    const sample = (type === 'text' ? positionIn(name) : undefined) ?? samples[type] ?? '1'
    return `(${number === organization ? `'${anyOrganization}'` : sample})::${type}`
  })
}
