import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A self-signed certificate for 127.0.0.1 and a host, with its key, in PEM form. */
export interface TestCertificate {
  readonly cert: string
  readonly key: string
}

/** The content of a certificate. */
export interface CertificateOptions {
  /** Default: localhost. */
  readonly host?: string
  /** Default: an hour ago. */
  readonly from?: Date
  /** Default: in 90 days. */
  readonly until?: Date
}

/** Makes a certificate (RFC 5280) with a new key. */
export function createCertificate(options: CertificateOptions = {}): TestCertificate {
  const { host = 'localhost', from = inHours(-1), until = inHours(90 * 24) } = options
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const name = der(0x30, der(0x31, der(0x30, oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from('svc test')))))
  const alternativeNames = der(0x30, der(0x82, Buffer.from(host)), der(0x87, Buffer.from([127, 0, 0, 1])))
  const extensions = der(
    0x30,
    der(
      0x30,
      oid(0x55, 0x1d, 0x13),
      der(0x01, Buffer.from([0xff])),
      der(0x04, der(0x30, der(0x01, Buffer.from([0xff])))),
    ),
    der(0x30, oid(0x55, 0x1d, 0x11), der(0x04, alternativeNames)),
  )
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    der(0x30, time(from), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = sign('sha256', content, privateKey)
  const certificate = der(0x30, content, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature))
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** The time so many hours from now. */
export function inHours(hours: number): Date {
  return new Date(Date.now() + hours * 3_600_000)
}

/** A value of a type, with its length (X.690). */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  const bytes = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...bytes]), content])
}

function oid(...bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes))
}

const ecdsaWithSha256 = der(0x30, oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))

/** UTCTime, with a two-digit year. */
function time(date: Date): Buffer {
  return der(0x17, Buffer.from(`${date.toISOString().replace(/^..|[-:T]|\.\d+/g, '')}`))
}
