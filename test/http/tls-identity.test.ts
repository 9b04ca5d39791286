import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { renewTls } from '../../src/cli/tls.js'
import { readTlsIdentity, type TlsIdentity, timeFault } from '../../src/http/tls-identity.js'
import { createCertificate, inHours } from '../support/certificate.js'
import { createTestRuntime } from '../support/runtime.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-tls-'))
})
afterAll(() => rm(folder, { recursive: true }))

const write = async (name: string, text: string) => {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}
const filesOf = async ({ cert, key }: { cert: string; key: string }) => ({
  cert: await write('cert.pem', cert),
  key: await write('key.pem', key),
})

it('a certificate and its key are read together, followed by any issuer certificates', async () => {
  const own = createCertificate()
  const issuer = createCertificate()
  const identity = await readTlsIdentity(await filesOf({ cert: own.cert + issuer.cert, key: own.key }))
  expect(identity.cert.toString()).toBe(own.cert + issuer.cert)
  expect(identity.expiresAt.getTime() - Date.now()).toBeGreaterThan(89 * 86_400_000)
  expect(timeFault(identity, new Date())).toBeUndefined()
})

it.each<[fault: string, cert: string, key: string, message: RegExp]>([
  ['of another certificate', createCertificate().cert, createCertificate().key, /^TLS_KEY \S+ does not match/],
  ['that is not a key', createCertificate().cert, 'key', /^TLS_KEY \S+ contains no private key in PEM format/],
  [
    'of a text that is not a certificate',
    'cert',
    createCertificate().key,
    /^TLS_CERT \S+ contains no certificate in PEM format$/,
  ],
])('a key %s is refused with a message that names the file', async (_, cert, key, message) => {
  await expect(readTlsIdentity(await filesOf({ cert, key }))).rejects.toThrow(message)
})

it('files that cannot be read are refused with the reason', async () => {
  const files = await filesOf(createCertificate())
  const missing = join(folder, 'none.pem')
  await expect(readTlsIdentity({ ...files, cert: missing })).rejects.toThrow(`TLS_CERT ${missing} does not exist`)
  await expect(readTlsIdentity({ ...files, key: missing })).rejects.toThrow(`TLS_KEY ${missing} does not exist`)
  await expect(readTlsIdentity({ ...files, key: folder })).rejects.toThrow(`TLS_KEY ${folder} is a folder`)
  await chmod(files.key, 0)
  // Root reads it all the same.
  if (process.getuid?.() !== 0) await expect(readTlsIdentity(files)).rejects.toThrow('cannot be read by this user')
  await chmod(files.key, 0o600)
})

it.each([
  ['expired at', { until: inHours(-0.5) }],
  ['is not valid before', { from: inHours(1) }],
])('a certificate that %s is reported by its validity', async (fault, times) => {
  expect(timeFault(await readTlsIdentity(await filesOf(createCertificate(times))), new Date())).toContain(fault)
})

it('new files are used if they are valid; invalid ones are logged and change nothing', async () => {
  const used: TlsIdentity[] = []
  const logged: string[] = []
  const note = (fields: object, message: string) => {
    const fault = 'err' in fields && fields.err instanceof Error ? `: ${fields.err.message}` : ''
    logged.push(message + fault)
  }
  const log = { info: note, error: note }
  const renew = async (given: { cert: string; key: string }) => {
    const tls = await filesOf(given)
    await renewTls({ config: { tls }, log, runtime: createTestRuntime() }, (identity) => used.push(identity))
  }
  const [first, second] = [createCertificate(), createCertificate()]
  await renew(first)
  await renew({ cert: first.cert, key: second.key })
  await renew(createCertificate({ until: inHours(-0.5) }))
  await renew(second)
  expect(used.map(({ cert }) => cert.toString())).toEqual([first.cert, second.cert])
  const kept = 'the certificate could not be reloaded: the previous one remains in use'
  expect(logged).toEqual([
    'the certificate was reloaded',
    expect.stringMatching(new RegExp(`^${kept}: TLS_KEY .* does not match`)),
    expect.stringMatching(new RegExp(`^${kept}: the certificate expired`)),
    'the certificate was reloaded',
  ])
})
