const MASK = '***'
const SECRET_PARAMETERS = ['password', 'sslpassword']

/** A value of a variable as it can be shown, its secrets as `***`. */
export function masked(name: string, value: string): string {
  if (/^SVC_(SECRET|SEAL)_/.test(name)) return MASK
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(value) ?? []
  if (scheme === undefined) return value
  // Where a character of a password is not encoded, parsers take a part of it for something else.
  const delimiter = rest.search(/[/?#]/)
  if (!URL.canParse(value) || (delimiter !== -1 && delimiter < rest.lastIndexOf('@')))
    return `${scheme}${maskedText(rest)}`
  const url = new URL(value)
  const given = url.href
  if (url.password !== '') url.password = MASK
  for (const parameter of SECRET_PARAMETERS) {
    if (url.searchParams.has(parameter)) url.searchParams.set(parameter, MASK)
  }
  return url.href === given ? value : url.href
}

/** Everything from the first colon to the last `@` is taken for the password. */
function maskedText(rest: string): string {
  const [start, end] = [rest.indexOf(':'), rest.lastIndexOf('@')]
  const shown = start !== -1 && start < end ? `${rest.slice(0, start)}:${MASK}${rest.slice(end)}` : rest
  return shown.replace(/([?&](?:password|sslpassword)=)[^&]*/g, `$1${MASK}`)
}
