const MASK = '***'
const SECRET_PARAMETERS = ['password', 'sslpassword']

/** A value of a variable as it can be shown, its secrets as `***`. */
export function masked(name: string, value: string): string {
  if (/^SVC_(SECRET|SEAL)_/.test(name)) return MASK
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(value) ?? []
  if (scheme === undefined) return value
  // Where a character of a password is not encoded, parsers take a part of it for something else.
  if (!URL.canParse(value) || /[/?#].*@/s.test(rest)) return `${scheme}${maskedText(rest)}`
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
  return rest.replace(/:.*@/s, `:${MASK}@`).replace(/([?&](?:password|sslpassword)=)[^&]*/g, `$1${MASK}`)
}
