/** Secrets and tokens of this service, whole or in part, also percent-encoded ones: what follows the prefix goes. */
const credential = /svc(?:_|%5f)(secret|token|user)(?:_|%5f)[^\s"'&?/,;]*/gi

/** The text without the secrets and tokens in it, for what is written down although a caller has written it. */
export function withoutCredentials(text: string): string {
  return text.replace(credential, 'svc_$1_[redacted]')
}
