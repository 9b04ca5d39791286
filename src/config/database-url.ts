import * as v from 'valibot'

/** The modes that pg treats as `verify-full`, but PostgreSQL's own programs as less. */
const ALIASES = ['allow', 'prefer', 'require', 'verify-ca']
const MODES = ['disable', 'no-verify', 'verify-full', ...ALIASES]

/** Says how to write a password that could be read as something else. */
export const encodedCredentials = v.check(
  hasEncodedCredentials,
  'must have its user and its password percent-encoded: # is %23, / is %2F, ? is %3F, @ is %40, % is %25',
)

/** The address of a database, with the name of the effective mode. */
export const databaseUrl = v.pipe(
  v.string(),
  v.regex(/^postgres(ql)?:\/\//i, 'must be a postgresql URL'),
  encodedCredentials,
  v.transform(withHost),
  v.check((text) => URL.canParse(text), 'must be a postgresql URL'),
  v.check(
    (text) => (parameter(text, 'schema') ?? 'public') === 'public',
    'names a schema other than public, where the service keeps its tables: omit it, and use a separate database',
  ),
  v.check(
    (text) => MODES.includes(parameter(text, 'sslmode') ?? 'disable'),
    `has an unknown sslmode: it must be one of ${MODES.join(', ')}`,
  ),
  v.transform(withPlainMode),
)

/**
 * Whether the user and the password are encoded so that no parser can mistake a part of them for something else: no `@`
 * follows the host, there is no fragment, and every percent sign begins an escape.
 */
function hasEncodedCredentials(url: string): boolean {
  const [, authority = '', rest = ''] = /^[^:]*:\/\/([^/?#]*)(.*)$/s.exec(url) ?? []
  const credentials = authority.slice(0, Math.max(0, authority.lastIndexOf('@')))
  return !/[@#]/.test(rest) && !/%(?![0-9a-f]{2})/i.test(credentials)
}

/** A host for a URL that names it, such as the folder of a socket, in its query alone: Cloud SQL's form. */
function withHost(url: string): string {
  return url.replace(/^([^:]*:\/\/[^/?#@]*@)(?=[/?]|$)/, '$1localhost')
}

function parameter(url: string, name: string): string | undefined {
  return new URL(withHost(url)).searchParams.get(name) ?? undefined
}

/** A mode that has a different meaning here than its name says. */
function aliasIn(url: string): string | undefined {
  const mode = parameter(url, 'sslmode')
  return parameter(url, 'uselibpqcompat') === 'true' || !ALIASES.includes(mode ?? '') ? undefined : mode
}

function withPlainMode(url: string): string {
  if (aliasIn(url) === undefined) return url
  const plain = new URL(url)
  plain.searchParams.set('sslmode', 'verify-full')
  return plain.href
}

/** What to write instead of a mode that has a different meaning here than its name says; undefined for the others. */
export function modeAdvice(variable: string, url: string | undefined): string | undefined {
  const mode = url && aliasIn(url)
  if (!mode) return undefined
  return (
    `${variable} has sslmode=${mode}, which means verify-full here: write sslmode=verify-full, ` +
    `or uselibpqcompat=true&sslmode=${mode} for what psql means by it`
  )
}
