/** Shown in place of a secret. */
export const MASK = '***'
const SECRET_PARAMETERS = ['password', 'sslpassword']

/** A URL, or a text that may have one, without its passwords. */
export function withoutPasswords(text: string): string {
  const [, scheme = '', rest = text] = /^([^@]*?:\/\/)(.*)$/s.exec(text) ?? []
  const isUrl = /^\s*[a-z][a-z0-9+.-]*:\/\/$/i.test(scheme) && URL.canParse(text)
  // Where a character of a password is not encoded, parsers take a part of it for something else.
  const delimiter = rest.search(/[/?#]/)
  if (!isUrl || (delimiter !== -1 && delimiter < rest.lastIndexOf('@'))) return `${scheme}${maskedText(rest)}`
  const url = new URL(text)
  const given = url.href
  if (url.password !== '') url.password = MASK
  for (const parameter of SECRET_PARAMETERS) {
    if (url.searchParams.has(parameter)) url.searchParams.set(parameter, MASK)
  }
  return url.href === given ? text : url.href
}

/** Everything from the first colon to the last `@` is taken for the password. */
function maskedText(rest: string): string {
  const [start, end] = [rest.indexOf(':'), rest.lastIndexOf('@')]
  const shown = start !== -1 && start < end ? `${rest.slice(0, start)}:${MASK}${rest.slice(end)}` : rest
  return shown.replace(/([?&](?:password|sslpassword)=)[^&]*/g, `$1${MASK}`)
}
