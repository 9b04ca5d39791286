import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createCertificate, inHours, type TestCertificate } from '../support/certificate.js'
import { type CertificateFiles, createCertificateFiles } from '../support/certificate-files.js'
import { runInProcess } from '../support/command-line.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { type RunningServe, startServe } from '../support/program.js'

let testDatabase: TestDatabase
let files: CertificateFiles
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  files = await createCertificateFiles()
})
afterAll(async () => {
  await testDatabase.drop()
  await files.remove()
})

const environment = () => ({ ...testDatabase.environment, PORT: '0', TLS_CERT: files.cert, TLS_KEY: files.key })

describe.each([
  ['one process', []],
  ['two workers', ['--workers', '2']],
])('svc serve with a certificate, in %s', (_, args) => {
  const first = createCertificate()
  let serve: RunningServe
  beforeAll(async () => {
    await files.replace(first)
    serve = await startServe(['--no-demo', ...args], environment())
  })
  afterAll(() => serve.stop())

  /** The certificate that a new connection is shown. */
  const shown = async () => {
    const { hostname: host, port } = new URL(serve.origin)
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const certificate = socket.getPeerX509Certificate()?.toString()
    socket.destroy()
    return certificate
  }
  const shownByAll = async () => new Set(await Promise.all(Array.from({ length: 8 }, shown)))
  const open = async ({ cert }: TestCertificate) => {
    const session = connectHttp2(serve.origin, { ca: cert })
    await once(session, 'remoteSettings')
    return session
  }
  const ask = async (session: ReturnType<typeof connectHttp2>) => {
    const stream = session.request({ ':path': '/readyz' }).resume()
    const [headers] = await once(stream, 'response')
    return headers[':status']
  }

  it('prints an https address, and serves it', async () => {
    expect(serve.origin).toMatch(/^https:/)
    const session = await open(first)
    expect(await ask(session)).toBe(200)
    session.close()
  })

  it('reloads its certificate on SIGHUP in every process, without dropping a connection', async () => {
    const session = await open(first)
    const second = createCertificate()
    await files.replace(second)
    process.kill(serve.pid, 'SIGHUP')
    await eventually(async () => expect(await shownByAll()).toEqual(new Set([second.cert])))
    expect(await ask(session)).toBe(200)
    session.close()
    // Bad files change nothing, and good ones after them do.
    await files.replace({ cert: first.cert, key: second.key })
    process.kill(serve.pid, 'SIGHUP')
    await files.replace(createCertificate({ until: inHours(-0.5) }))
    process.kill(serve.pid, 'SIGHUP')
    expect(await shownByAll()).toEqual(new Set([second.cert]))
    const third = createCertificate()
    await files.replace(third)
    process.kill(serve.pid, 'SIGHUP')
    await eventually(async () => expect(await shownByAll()).toEqual(new Set([third.cert])))
  })
})

it('svc serve refuses to start with files that do not match, and explains why', async () => {
  await files.replace({ cert: createCertificate().cert, key: createCertificate().key })
  for (const args of [[], ['--workers', '2']]) {
    await expect(startServe(['--no-demo', ...args], environment())).rejects.toThrow(
      `TLS_KEY ${files.key} does not match the first certificate in TLS_CERT ${files.cert}`,
    )
  }
})

describe('svc config and svc doctor', () => {
  const findings = async () => {
    const { stdout } = await runInProcess(['doctor', '--json'], { env: environment() })
    const { checks }: { checks: { check: string; healthy: boolean; text: string }[] } = JSON.parse(stdout)
    return checks.filter(({ check }) => check === 'certificate').map(({ healthy, text }) => [healthy, text])
  }

  it('show where the certificate is, and how long it is valid', async () => {
    const until = inHours(24 * 90)
    until.setMilliseconds(0)
    await files.replace(createCertificate({ until }))
    expect(await findings()).toEqual([[true, `belongs to its key and expires at ${until.toISOString()}`]])
    const { stdout } = await runInProcess(['config'], { env: environment() })
    expect(stdout).toContain(files.cert)
    expect(stdout).toContain(files.key)
  })

  it.each<[fault: string, certificate: TestCertificate]>([
    ['expired at', createCertificate({ until: inHours(-0.5) })],
    ['renew it, and send SIGHUP', createCertificate({ until: inHours(13 * 24) })],
    ['does not match the first certificate', { cert: createCertificate().cert, key: createCertificate().key }],
    ['contains no certificate in PEM format', { cert: '', key: createCertificate().key }],
  ])('report that a certificate %s', async (fault, certificate) => {
    await files.replace(certificate)
    expect(await findings()).toEqual([[false, expect.stringContaining(fault)]])
  })

  it('report that one of the two variables is missing', async () => {
    const { stderr } = await runInProcess(['config'], { env: { ...environment(), TLS_KEY: '' } })
    expect(stderr).toContain('TLS_CERT and TLS_KEY must be set together')
  })
})
