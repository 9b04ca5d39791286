import { crc32 } from 'node:zlib'
import type { ApiKeyKind } from '../../../gen/prisma/enums.js'
import type { Runtime } from '../../runtime/runtime.js'

export type { ApiKeyKind }

export const apiKeyKinds: readonly ApiKeyKind[] = ['pk', 'wk', 'mk']

/** The pattern for secret scanners (docs/secret-scanning.md). */
export const apiKeySecretPattern = `svc_secret_(${apiKeyKinds.join('|')})_[0-9A-Za-z]{49}`

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62^43 is a little more than 2^256. */
const RANDOM_LENGTH = 43
const CHECKSUM_LENGTH = 6
/** The largest multiple of 62 in a byte: bytes from here on would make some characters likelier than others. */
const FIRST_UNUSED_BYTE = 248

const wholeSecret = new RegExp(`^${apiKeySecretPattern}$`)
const anySecret = new RegExp(apiKeySecretPattern, 'g')

/** Every part of a text that has the form of a secret. */
export function secretsIn(text: string): string[] {
  return [...text.matchAll(anySecret)].map(([secret]) => secret)
}

export function createApiKeySecret(kind: ApiKeyKind, runtime: Pick<Runtime, 'randomBytes'>): string {
  const unchecked = `svc_secret_${kind}_${randomText(RANDOM_LENGTH, runtime)}`
  return unchecked + checksumOf(unchecked)
}

/** The kind of a secret, or what is wrong with the text. Judged by the text alone. */
export type SecretInspection =
  | { readonly ok: true; readonly kind: ApiKeyKind }
  | { readonly ok: false; readonly fault: 'form' | 'checksum' }

export function inspectApiKeySecret(text: string): SecretInspection {
  const named = wholeSecret.exec(text)?.[1]
  const kind = apiKeyKinds.find((each) => each === named)
  if (kind === undefined) return { ok: false, fault: 'form' }
  const end = text.length - CHECKSUM_LENGTH
  return text.slice(end) === checksumOf(text.slice(0, end)) ? { ok: true, kind } : { ok: false, fault: 'checksum' }
}

/** The CRC32 (IEEE) of the text in base 62, in six characters. */
function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  while (digits.length < CHECKSUM_LENGTH) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}

function randomText(length: number, runtime: Pick<Runtime, 'randomBytes'>): string {
  let text = ''
  while (text.length < length) {
    for (const byte of runtime.randomBytes(length)) {
      if (byte < FIRST_UNUSED_BYTE && text.length < length) text += ALPHABET.charAt(byte % ALPHABET.length)
    }
  }
  return text
}
