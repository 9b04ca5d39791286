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
  'integer[]': `'{1}'`,
  'uuid[]': `'{018f3b7a-0000-7000-8000-000000000001}'`,
  'bytea[]': `'{"\\\\x00"}'`,
  'jsonb[]': `'{"{}"}'`,
}

/** A text that is read as a position in a list: a value of each type in it. */
function positionIn(text: string, place: string): string | undefined {
  const parts = [...text.matchAll(new RegExp(`split_part\\(\\$${place}, ' ', \\d+\\)::(\\w+)`, 'g'))]
  return parts.length === 0 ? undefined : `'${parts.map(([, type = '']) => words[type] ?? '1').join(' ')}'`
}

const words: Readonly<Record<string, string>> = { date: '2026-01-31', timestamptz: '2026-01-31' }

/** The text of a statement with a value of its type, which is that of no row, in the place of each parameter. */
export async function sampledText(client: pg.Client, text: string): Promise<string> {
  const types = await parameterTypes(client, text)
  const organization = /organization_id = \$(\d+)/.exec(text)?.[1]
  return text.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const { type = '', isEnum = false } = types[Number(number) - 1] ?? {}
    if (isEnum) return `enum_first(NULL::${type})`
    const sample = positionIn(text, number) ?? samples[type] ?? '1'
    return `(${number === organization ? `'${anyOrganization}'` : sample})::${type}`
  })
}
