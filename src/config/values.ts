import * as v from 'valibot'
import { parseTrustProxy, type TrustProxy } from '../http/client-address.js'

const urlOf = (protocol: RegExp, error: string) =>
  v.pipe(
    v.string(),
    v.check((text) => URL.canParse(text) && protocol.test(new URL(text).protocol), error),
  )

/** An address of the web. */
export const webUrl = urlOf(/^https?:$/, 'must be an http or https URL')

/** The name of a claim of a JWT, which may be a URL. */
export const claimName = v.pipe(
  v.string(),
  v.regex(/^[!-~]{1,128}$/, 'must be the name of a claim: 1 to 128 visible ASCII characters'),
)

/** Digits alone: `0x50`, `1e3` and blanks are mistakes. */
export const numberFrom = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return v.pipe(
    v.string(),
    v.regex(/^[0-9]+$/, error),
    v.transform(Number),
    v.minValue(min, error),
    v.maxValue(max, error),
  )
}

/** A whole number with a default. */
export const wholeNumber = (min: number, max: number, otherwise: number) =>
  v.optional(numberFrom(min, max), String(otherwise))

/** The proxies whose `X-Forwarded-For` is trusted. */
export const trustProxy = v.pipe(
  v.string(),
  v.rawTransform(({ dataset: { value }, addIssue, NEVER }): TrustProxy => {
    try {
      return parseTrustProxy(value)
    } catch (error) {
      addIssue({ message: error instanceof Error ? error.message : 'cannot be read' })
      return NEVER
    }
  }),
)

/** A key of the HMAC over secrets. */
export const pepper = v.optional(v.pipe(v.string(), v.minLength(16, 'must have at least 16 characters')))

/** The protocol of the exporter; collectors that accept `http/protobuf` accept it as well. */
export const otlpProtocol = v.optional(v.picklist(['http/json'], 'must be http/json'))
