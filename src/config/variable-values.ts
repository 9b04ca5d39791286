import * as v from 'valibot'
import { parseWebhookAllowance } from '../egress/webhook-destination.js'
import { parseTrustProxy } from '../http/client-address.js'
import { withoutPasswords } from '../http/password-masking.js'

/** Digits alone: `0x50`, `1e3` and blanks are mistakes. */
export function numberFrom(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`
  return v.pipe(
    v.string(),
    v.regex(/^[0-9]+$/, error),
    v.transform(Number),
    v.minValue(min, error),
    v.maxValue(max, error),
  )
}

export function wholeNumber(min: number, max: number, otherwise: number) {
  return v.optional(numberFrom(min, max), String(otherwise))
}

export function onOrOff(otherwise: 'on' | 'off') {
  const choice = v.pipe(
    v.picklist(['on', 'off'], 'must be on or off'),
    v.transform((text) => text === 'on'),
  )
  return v.optional(choice, otherwise)
}

export const days = v.pipe(
  v.string(),
  v.regex(/^[1-9][0-9]{0,4}d$/, 'must be a number of days from 1d to 99999d, such as 90d'),
  v.transform((text) => Number(text.slice(0, -1))),
)

export const webUrl = v.pipe(
  v.string(),
  v.check((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an http or https URL'),
)

export const claimName = v.pipe(
  v.string(),
  v.regex(/^[!-~]{1,128}$/, 'must be the name of a claim: 1 to 128 visible ASCII characters'),
)

/** The scopes of a sign-in (RFC 6749, section 3.3), which make it one of OpenID Connect. */
export const oidcScopes = v.pipe(
  v.string(),
  v.check(
    (text) => /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/.test(text) && text.split(' ').includes('openid'),
    'must be scopes with single spaces between them, openid among them',
  ),
)

export const pepper = v.optional(v.pipe(v.string(), v.minLength(16, 'must have at least 16 characters')))

export const sealKey = v.optional(v.pipe(v.string(), v.minLength(32, 'must have at least 32 characters')))

export const trustProxy = parsedBy(parseTrustProxy)

export const webhookAllowance = parsedBy(parseWebhookAllowance)

function parsedBy<Value>(parse: (text: string) => Value) {
  return v.pipe(
    v.string(),
    v.rawTransform(({ dataset: { value }, addIssue, NEVER }): Value => {
      try {
        return parse(value)
      } catch (error) {
        addIssue({ message: error instanceof Error ? withoutPasswords(error.message) : 'cannot be read' })
        return NEVER
      }
    }),
  )
}

export const origins = v.pipe(
  v.string(),
  v.rawTransform(({ dataset: { value }, addIssue }): readonly string[] => {
    const given = value.split(',').flatMap((origin) => origin.trim() || [])
    for (const origin of given) {
      if (origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)) continue
      addIssue({ message: `has ${withoutPasswords(origin)}, which is not an origin such as https://example.com` })
    }
    return given
  }),
)
